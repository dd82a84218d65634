#include "src/plan/rewrite/exponentials.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "src/plan/rewrite/logarithms.hpp"

namespace ricci::plan {
namespace {

class canceller {
public:
    /// `before`: sums of exponentials that a first reading met.
    canceller(program_plan& plan, definitions& defined, bool has_logarithms,
              std::vector<exponential_sum> before)
        : plan_(plan),
          values_(plan.values),
          defined_(defined),
          forms_(plan.values),
          signs_(plan.values),
          products_(plan.values, forms_, signs_),
          logarithms_(plan.values, {[this](expr e) -> const factored& { return factor(e); },
                                    [this](expr e) { return stable(e); },
                                    [this](expr e) { return log_of_tensor(e); },
                                    [this](expr e) { return is_given(e); },
                                    [this](expr e) { return signs_.is_nonnegative(e); }}),
          has_logarithms_(has_logarithms),
          sums_(std::move(before)) {}
    canceller(const canceller&) = delete;  // the products refer to the forms
    canceller& operator=(const canceller&) = delete;

    bool changed() const { return changed_; }
    const std::vector<exponential_sum>& sums() const { return sums_; }
    /// Whether a sum was met after it was asked for: a value may stand above what divides it.
    bool asked_too_early() {
        return std::ranges::any_of(missed_, [&](const exponential_sum& m) { return is_met(m); });
    }

    /// The equations as they are computed, with those that hold coefficients before the first that
    /// reads them.
    std::vector<read_equation> rewritten(const std::vector<read_equation>& read) {
        std::vector<read_equation> all;
        for (const read_equation& e : read) computed_.insert(e.target.slot);
        for (read_equation e : read) {
            known_.clear();
            const expr whole = e.value;
            const auto improve = [&](expr& value) {
                const expr better = stable(value);
                changed_ = changed_ || better != value;
                value = better;
            };
            // Matrices are tensors, and stay what they are.
            if (!e.matrix) e.for_each_value(improve);
            if (whole) remember(e, whole);
            all.insert(all.end(), std::make_move_iterator(made_.begin()),
                       std::make_move_iterator(made_.end()));
            made_.clear();
            all.push_back(std::move(e));
        }
        for (read_equation& e : all)
            if (e.value) write_out(e, all);
        return all;
    }

private:
    // Factors -------------------------------------------------------------------------------------

    static bool is(const expression& e, ir::function f) {
        return e.kind == kind::operation && e.code == code_of(f);
    }
    expr apply(ir::function f, expr e) { return values_.apply(code_of(f), e); }

    /// It stays where it is while that equation is read.
    const factored& factor(expr e) {
        if (const auto found = known_.find(e); found != known_.end()) return found->second;
        factored f = read(e);  // may not hold a reference meanwhile: it recurses
        return known_.emplace(e, std::move(f)).first->second;
    }
    expr value(const factored& f) {
        if (f.exponentials.empty() && !f.cancels) return f.written;
        const factored settled = products_.settled(f);
        return settled.cancels ? products_.product(settled) : f.written;
    }
    expr stable(expr e) { return value(factor(e)); }
    /// The same of what is computed in the place of its parts.
    expr with_stable_parts(expr e) {
        const auto& node = values_[e];
        if (node.kind == kind::gather || node.arguments.empty()) return e;
        expr_list arguments;
        for (const expr a : node.arguments) arguments.push_back(stable(a));
        return arguments == node.arguments ? e : values_.remade(e, std::move(arguments));
    }

    factored read(expr e) {
        const auto& node = values_[e];
        if (node.kind == kind::load || node.kind == kind::gather) return read_tensor(e);
        factored f;
        f.written = with_stable_parts(e);
        if (is(node, ir::function::exp)) {
            f.exponentials.push_back({1, stable(node.arguments[0]), {}, f.written, {}, {}});
            return f;
        }
        if (is(node, ir::function::cosh)) return of_cosh(std::move(f), node.arguments[0]);
        if (is(node, ir::function::sinh)) {
            f.coefficient = apply(ir::function::tanh, stable(node.arguments[0]));
            return of_cosh(std::move(f), node.arguments[0]);
        }
        if (node.folding == fold::mean) return of_mean(std::move(f), node);
        if (node.kind == kind::sum) sum(f, node);
        if (node.kind == kind::operation) operation(f, e);
        if (f.exponentials.empty() && !f.cancels)
            f.coefficient = values_.is_constant(e, 1) ? expr(expr::none) : f.written;
        return f;
    }
    /// \cosh(x) is (1 + \exp(-2 |x|)) / 2 of \exp(|x|), and \sinh(x) is \tanh(x) of it.
    factored of_cosh(factored f, expr argument) {
        const expr x = stable(argument), size = apply(ir::function::absolute, x);
        const expr rest =
            apply(ir::function::softplus, values_.multiply({values_.constant(-2), size}));
        const expr log = values_.add({size, rest, values_.constant(-std::log(2.0))});
        f.exponentials.push_back({1, log, {}, apply(ir::function::cosh, x), {}, {}, true});
        return f;
    }
    /// The mean of exponentials is read as a sum.
    factored of_mean(factored f, const expression& node) {
        const double count = values_.size(node.over);
        factored sum;
        if (count > 0 && !factor(node.arguments[0]).exponentials.empty())
            sum = factor(values_.multiply(
                {values_.constant(1 / count), values_.sum(node.over, node.arguments[0])}));
        if (sum.exponentials.empty()) {
            f.coefficient = f.written;
            return f;
        }
        sum.written = f.written;
        return sum;
    }
    void operation(factored& f, expr e) {
        const auto& node = values_[e];
        const expr first = node.arguments[0];
        switch (node.code) {
            case opcode::multiply:
                for (const expr a : node.arguments) products_.multiply(f, factor(a), 1);
                return products_.take_in_brackets(f);
            case opcode::reciprocal:
                return products_.multiply(f, factor(first), -1);
            case opcode::square:
                return products_.multiply(f, factor(first), 2);
            case code_of(ir::function::sqrt):
                return products_.multiply(f, factor(first), 0.5);
            case opcode::power:
                if (const auto& times = values_[node.arguments[1]]; times.kind == kind::constant)
                    products_.multiply(f, factor(first), times.value);
                return;
            case code_of(ir::function::absolute):
                if (factor(first).exponentials.empty()) return;
                products_.multiply(f, factor(first), 1);
                if (f.coefficient && !signs_.is_nonnegative(f.coefficient))
                    f.coefficient = apply(ir::function::absolute, f.coefficient);
                return;
            case opcode::add:
                return add(f, e);
            case code_of(ir::function::log):
                return logarithm(f, first);
            default:
                return;
        }
    }

    // Terms of one and the same exponential, or of others that are positive.
    void add(factored& f, expr e) {
        std::vector<const factored*> parts;
        for (const expr t : values_[e].arguments) parts.push_back(&factor(t));
        const auto alike = [&](const factored* part) {
            return !part->exponentials.empty() && products_.same_exponentials(*part, *parts[0]);
        };
        if (!std::ranges::all_of(parts, alike)) {
            if (const expr log = logarithms_.of_positive_sum(e))
                f.exponentials.push_back({1, log, {}, f.written, {}, {}, true});
            return;
        }
        expr_list terms;
        for (const factored* part : parts) terms.push_back(part->coefficient);
        const expr brackets = products_.take_shared_brackets(terms);
        // where no term counts the sum is 0, whatever the exponentials are
        if (std::ranges::all_of(terms, [&](expr t) { return t && values_.has_bracket(t); })) return;
        for (expr& t : terms)
            if (!t) t = values_.constant(1);
        for (const factored* part : parts) f.cancels = f.cancels || part->cancels;
        f.coefficient = products_.product(brackets, values_.add(terms));
        f.exponentials = parts[0]->exponentials;
    }

    bool depends(expr e, const loop_list& over) const {
        return e && !common(values_[e].indices, over).empty();
    }
    void sum(factored& f, const expression& node) {
        const loop_list& over = node.over;
        const factored& g = factor(node.arguments[0]);
        std::vector<exponential> inside;
        for (const exponential& y : g.exponentials)
            (depends(y.written, over) ? inside : f.exponentials).push_back(y);
        expr coefficient = g.coefficient;
        // where no term counts the sum is 0, whatever would stand before it
        if (!f.exponentials.empty() && products_.has_brackets(coefficient, over))
            return f.exponentials.clear();
        // and brackets of all terms hide what stands before it, too
        const expr before = products_.take_brackets(coefficient, over);
        if (inside.size() == 1) {
            exponential& one = inside[0];
            // Brackets beside a power hide infinite ones of it as long as it is read as a power.
            if (one.over.empty() && !depends(coefficient, over))
                one = products_.first_power(std::move(one));
            if (one.times != 1 || !one.over.empty() ||
                !without(over, values_[one.exponent].indices).empty())
                return f.exponentials.clear();
            expr written = f.written;
            if (depends(coefficient, over)) {
                // Only where the text divides by that sum anyway: in numbers it is no less stable,
                // and what is read as written stays so.
                if (!is_summed(one.exponent, over)) {
                    f.cancels = f.cancels || g.cancels;
                    return weighted_sum(f, {before, coefficient, one.exponent}, over);
                }
                // a weight that is 0 does not hide what is infinite; its brackets do
                coefficient = products_.product(coefficient, products_.brackets_of(one.exponent));
                coefficient =
                    products_.product(coefficient, values_.row(fold::softmax, over, one.exponent));
                coefficient = values_.sum(over, coefficient);
                written = expr::none;
            } else {
                sums_.push_back({one.exponent, over});
                // what is written has what stands before it, too
                if (g.coefficient || !f.exponentials.empty()) written = expr::none;
            }
            if (!written) written = values_.sum(over, apply(ir::function::exp, one.exponent));
            // Before the sum cancels what it is divided by: weights in it say where that is 0.
            f.coefficient = products_.product(before, coefficient);
            products_.multiply(f, exponential{1, one.exponent, over, written, {}, {}});
        } else if (!inside.empty() || f.exponentials.empty()) {
            return f.exponentials.clear();
        } else {
            coefficient = values_.sum(over, coefficient ? coefficient : values_.constant(1));
            f.coefficient = products_.product(before, coefficient);
        }
        f.cancels = f.cancels || g.cancels;
    }

    struct weighted_exponential {
        expr before;  // brackets in front of the sum, or none
        expr weight, exponent;
    };
    // By the sum of weight * \exp(exponent), as far as its parts cancel with others.
    void weighted_sum(factored& f, const weighted_exponential& term, const loop_list& over) {
        const auto [before, w, exponent] = term;
        const bool positive = signs_.is_nonnegative(w);
        const expr size = positive ? w : apply(ir::function::absolute, w);
        const expr each = products_.weighted(exponent, size);
        const expr brackets = products_.brackets_of(exponent);
        f.coefficient = before;
        expr written = f.written;
        if (!positive) {
            const expr share = values_.row(fold::softmax, over, each);
            const expr sign = products_.product(brackets, apply(ir::function::sign, w));
            const expr signs = values_.sum(over, products_.product(sign, share));
            f.coefficient = products_.product(before, signs);
        }
        if (!positive || before || !f.exponentials.empty()) {
            written = values_.sum(over, products_.product(products_.product(brackets, size),
                                                          apply(ir::function::exp, exponent)));
        }
        products_.multiply(f, exponential{1, each, over, written, w, exponent});
    }

    void logarithm(factored& f, expr e) {
        const factored& g = factor(e);
        const expr better = g.exponentials.empty() ? logarithms_.of(e) : logarithms_.of(g);
        if (!better) return;
        f.coefficient = better;
        f.cancels = true;
    }
    bool is_given(expr e) const {
        bool given = !values_[e].sums;
        values_.for_each_load(
            {e}, [&](const access& read) { given = given && !computed_.contains(read.slot); });
        return given;
    }
    /// Whether some equation has the sum of these exponentials.
    bool is_summed(expr exponent, const loop_list& over) {
        const exponential_sum wanted{exponent, over};
        if (is_met(wanted)) return true;
        missed_.push_back(wanted);
        return false;
    }
    bool is_met(const exponential_sum& wanted) {
        return std::ranges::any_of(
            sums_, [&](const exponential_sum& met) { return products_.alike(met, wanted); });
    }

    // Tensors -------------------------------------------------------------------------------------

    /// What is known of a tensor: its value for the loops of its own definition.
    struct known_value {
        factored value;
        access target;
        ir::ref equation = ir::none;
        access coefficient;           // a tensor that holds it, once one is needed
        logarithms::parts logarithm;  // of its value, where that is better than of its elements
    };

    /// Parts of a definition where its tensor is read, lookups included.
    class reading {
    public:
        reading(graph& values, const definitions& defined, const access& target,
                const expression& read)
            : values_(values), defined_(defined), of_{target, {}, {}}, at_(read.source) {
            others_ = united(loops_of(target), loops_of(at_));
            for (std::size_t k = 0; k < read.lookups.size(); ++k) {
                const auto axis = static_cast<std::size_t>(read.lookups[k].axis);
                others_ = united(others_, values_[read.arguments[k]].indices);
                const place& mine = target.at[axis];
                if (mine.terms.empty()) continue;
                const loop l = values_.loops().another(mine.terms[0].over, others_);
                at_.at[axis] = {0, {{l, 1}}};
                numbers_.push_back({l, {}, read.arguments[k]});
                add_loop(others_, l);
            }
        }
        /// None: it has no form there.
        expr of(expr part) const {
            expr there = defined_.part_at(of_, part, at_);
            for (const moved_loop& m : numbers_)
                if (there)
                    there = values_.moved(values_.apart(values_[m.number].indices, there), {&m, 1});
            return there;
        }
        /// Names of loops that a part has, of which none is read.
        loop_map apart(const loop_list& over, const loop_list& beside) const {
            const loop_list taken = united(others_, beside);
            loop_map names;
            for (const loop l : over)
                if (contains(others_, l)) names.emplace_back(l, values_.loops().another(l, taken));
            return names;
        }

    private:
        graph& values_;
        const definitions& defined_;
        definition of_;
        access at_;
        std::vector<moved_loop> numbers_;
        loop_list others_;
    };

    void remember(const read_equation& e, expr whole) {
        defined_.add(e.target, plan_.slot_of(e.target).extents, e.value);
        const definition* const d = defined_.of(e.target.slot);
        if (d == nullptr || d->value != e.value) return;
        signs_.remember(e.target.slot, e.value);
        known_value k{factor(whole), e.target, e.number, {}, {}};
        // A quotient of exponentials is stable itself; its logarithm may not be.
        const bool stable = products_.settled(k.value).exponentials.empty();
        if (has_logarithms_)
            k.logarithm = k.value.exponentials.empty() ? logarithms_.parts_of(whole)
                                                       : logarithms_.parts_of(k.value);
        // a bracket may not be parted from what it hides, by equations either
        expr coefficient = k.value.coefficient;
        if (stable || products_.take_brackets(coefficient, {})) k.value = {};
        if (!k.value.exponentials.empty() || !k.logarithm.empty())
            tensors_.insert_or_assign(e.target.slot, std::move(k));
    }

    factored read_tensor(expr e) {
        const auto& node = values_[e];
        factored opaque;
        opaque.written = opaque.coefficient = e;
        const auto found = tensors_.find(node.source.slot);
        if (found == tensors_.end() || found->second.value.exponentials.empty()) return opaque;
        known_value& k = found->second;
        const reading at(values_, defined_, k.target, node);
        factored f;
        f.written = e;
        const bool is_exponential = !k.value.coefficient && k.value.exponentials.size() == 1 &&
                                    k.value.exponentials[0].times == 1;
        bool fits = true;
        const auto used = [&](expr part) {
            const expr there = part ? at.of(part) : part;
            fits = fits && (there || !part);
            return there;
        };
        for (exponential x : k.value.exponentials) {
            const auto names =
                at.apart(x.over, united(values_[x.exponent].indices, values_[x.exponent].bound));
            const auto own = [&](expr part) {
                return used(part && !names.empty() ? values_.renamed(part, names) : part);
            };
            x.exponent = own(x.exponent);
            x.bare = own(x.bare);
            x.weights = own(x.weights);
            x.written = is_exponential ? e : used(x.written);
            loop_list over;
            for (const loop l : x.over) add_loop(over, renamed(l, names));
            x.over = std::move(over);
            f.exponentials.push_back(std::move(x));
        }
        if (k.value.coefficient) f.coefficient = used(coefficient_of(k));
        return fits ? f : opaque;
    }
    logarithms::parts log_of_tensor(expr e) {
        const auto found = tensors_.find(values_[e].source.slot);
        if (found == tensors_.end()) return {};
        known_value& k = found->second;
        for (logarithms::part& p : k.logarithm)
            if (is_large(p.value)) p.value = values_.load(stored(k, p.value));
        logarithms::parts all = k.logarithm;
        const reading at(values_, defined_, k.target, values_[e]);
        for (logarithms::part& p : all) p.value = at.of(p.value);
        const bool fits = std::ranges::all_of(all, [](const auto& p) { return bool(p.value); });
        return fits ? all : logarithms::parts();
    }
    /// Whether it is too much to stand wherever its tensor is read: logarithms of products of
    /// tensors by products grow with each of them otherwise.
    bool is_large(expr e) {
        constexpr double most = 150;
        return size_of(e) > most;
    }
    double size_of(expr e) {
        if (const auto found = sizes_.find(e); found != sizes_.end()) return found->second;
        double size = 1;
        for (const expr a : values_[e].arguments) size += size_of(a);
        return sizes_[e] = size;
    }

    // An expression for the loops of the definition: a number, or a tensor with an equation of its
    // own.
    expr coefficient_of(known_value& k) {
        if (values_[k.value.coefficient].kind == kind::constant) return k.value.coefficient;
        if (!k.coefficient.slot) {
            k.coefficient = stored(k, k.value.coefficient);
            coefficients_.insert(k.coefficient.slot);
        }
        return values_.load(k.coefficient);
    }
    /// A tensor that holds a value for the loops of a definition, with an equation before this one.
    access stored(const known_value& k, expr value) {
        loop_list axes;
        for (const place& p : k.target.at)
            for (const term& t : p.terms) axes.push_back(t.over);
        read_equation made = new_equation(plan_, k.equation, axes, values_.type());
        made.value = value;
        signs_.remember(made.target.slot, value);
        defined_.add(made.target, plan_.slot_of(made.target).extents, value);
        computed_.insert(made.target.slot);
        made_.push_back(made);
        return made.target;
    }

    // An equation that says no more than that its tensor is a coefficient computes it itself.
    void write_out(read_equation& e, const std::vector<read_equation>& all) {
        const auto& use = values_[e.value];
        if (use.kind != kind::load || !coefficients_.contains(use.source.slot)) return;
        std::size_t reads = 0;
        for (const read_equation& other : all)
            values_.for_each_load(other.values(), [&](const access& read) {
                reads += read.slot == use.source.slot ? 1 : 0;
            });
        const expr value = reads == 1 ? defined_.value_of(e.value) : expr(expr::none);
        if (value) e.value = value;
    }

    program_plan& plan_;
    graph& values_;
    definitions& defined_;
    forms forms_;
    known_signs signs_;
    exponential_products products_;
    logarithms logarithms_;
    const bool has_logarithms_;
    std::vector<exponential_sum> sums_, missed_;
    bool changed_ = false;
    std::unordered_map<expr, factored> known_;  // of that equation
    std::unordered_map<slot_number, known_value> tensors_;
    std::unordered_set<slot_number> computed_, coefficients_;
    std::vector<read_equation> made_;
    std::unordered_map<expr, double> sizes_;  // of expressions, as trees
};

}  // namespace

void cancel_exponentials(program_plan& plan, definitions& defined, std::vector<read_equation>& read,
                         bool has_logarithms, const std::function<bool(slot_number)>& is_kept) {
    const std::size_t slots = plan.slots.size();
    definitions tried = defined;
    canceller first(plan, tried, has_logarithms, {});
    auto made = first.rewritten(read);
    bool changed = first.changed();
    if (first.asked_too_early()) {
        plan.slots.resize(slots);
        definitions tried_again = defined;
        canceller again(plan, tried_again, has_logarithms, first.sums());
        made = again.rewritten(read);
        changed = again.changed();
    }
    if (!changed) return plan.slots.resize(slots);
    read = std::move(made);
    for (const read_equation& e : read)
        if (e.value) defined.add(e.target, plan.slot_of(e.target).extents, e.value);
    drop_unread(plan, read, is_kept);
}

}  // namespace ricci::plan
