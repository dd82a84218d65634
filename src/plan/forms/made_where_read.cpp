#include "src/plan/forms/made_where_read.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "src/plan/forms/step_writer.hpp"
#include "src/plan/forms/term_groups.hpp"
#include "src/plan/pool/definitions.hpp"
#include "src/plan/schedule/ties.hpp"

namespace ricci::plan {
namespace {

// Of smaller ones no step is saved.
constexpr double fewest_elements = 1 << 14;
// Smaller tensors stay in the caches, where shorter rows are multiplied sooner than folded.
constexpr double least_stored_bytes = 1 << 22, shortest_row = 64;
// A tensor has so many times the elements of what it is made of.
constexpr double times_larger = 4;

/// A tensor that is not stored.
struct unstored {
    std::size_t step = 0;   // that would write it
    std::size_t first = 0;  // what it is made of is made before this step
    access target;
    // What it is the product of: loads, or one value.
    expr_list factors;
    bool is_product = false;
    // The log-sum-exp of the same terms, as a whole, or as its maximum and what is beyond that.
    std::optional<std::size_t> logsumexp, parts;
};

class tensor_remover {
public:
    explicit tensor_remover(program_plan& plan) : plan_(plan), values_(plan.values) {}

    void run() {
        for (std::size_t s = 0; s < plan_.steps.size(); ++s)
            if (auto found = unstored_by(s)) all_.push_back(std::move(*found));
        if (all_.empty()) return;
        before_ = std::move(plan_.steps);
        plan_.steps.clear();
        for (std::size_t s = 0; s < before_.size(); ++s) {
            for (unstored& t : all_)
                if (t.first == s) prepare(t);
            if (is_replaced(s)) continue;
            if (reads_any(before_[s])) rewrite(*before_[s].as_assign());
            else plan_.steps.push_back(std::move(before_[s]));
        }
        for (const unstored& t : all_) plan_.slots[t.target.slot.index()].kind = storage::unused;
    }

private:
    // Which are not stored --------------------------------------------------------------------

    std::optional<unstored> unstored_by(std::size_t s) const {
        const assign* const a = plan_.steps[s].as(assignment_kind::map);
        if (a == nullptr || values_[a->body].edged ||
            (a->folding != fold::none && a->folding != fold::softmax))
            return {};
        const slot& memory = plan_.slot_of(a->target);
        const element type = plan_.type_of(a->target.slot);
        if (memory.kind != storage::workspace || !is_real(type) ||
            values_.size(a->loops) < fewest_elements || !is_larger(*a))
            return {};
        const bool is_map = a->folding == fold::none;
        const bool stays_near = is_map && static_cast<double>(memory.bytes) < least_stored_bytes;
        const bool is_test = values_[a->body].code == opcode::equal;
        if (stays_near && !is_test) return {};
        unstored made;
        made.step = made.first = s;
        made.target = a->target;
        if (!plan_.is_whole(made.target)) return {};
        const slot_number written = made.target.slot;
        link(made, *a);
        std::size_t last = s;
        bool is_compared = false, has_extremum = false;
        for (std::size_t r = 0; r < plan_.steps.size(); ++r) {
            const step& other = plan_.steps[r];
            if (r != s && other.writes(written)) return {};
            if (!other.reads(written)) continue;
            if (r < s || !can_make(other, written)) return {};
            const assign& reader = *other.as_assign();
            const bool multiplies =
                stays_near || (is_map && values_.size(reader.over) < shortest_row);
            if (multiplies && !(is_test && sums_ties(reader, *a))) return {};
            last = r;
            is_compared = is_compared || compares_numbers(values_, reader.body);
            has_extremum =
                has_extremum || reader.folding == fold::maximum || reader.folding == fold::minimum;
        }
        // Who is the maximum is asked of the numbers that it was taken of.
        if (last == s || (is_compared && has_extremum)) return {};
        // It is made of the same numbers there.
        const auto changes = [&](const access& from) {
            for (std::size_t r = made.first; r < last; ++r)
                if (plan_.steps[r].writes(from.slot)) return true;
            return false;
        };
        return any_load(values_, *a, changes) ? std::nullopt : std::optional(made);
    }
    bool is_larger(const assign& a) const {
        const double size = values_.size(a.loops);
        const auto is_small = [&](const access& from) {
            return times_larger * values_.size(loops_of(from)) <= size;
        };
        return any_load(values_, a, is_small) && all_loads(values_, a, is_small);
    }
    /// Whether a step is a sum, or another fold, over the elements of the tensor, each once.
    bool can_make(const step& s, slot_number slot) const {
        const assign* const a = s.as_assign();
        if (a == nullptr || a->over.empty() || a->folding == fold::softmax ||
            (a->kind != assignment_kind::contract && a->kind != assignment_kind::map))
            return false;
        const auto all = united(a->loops, a->over);
        bool suits = !values_[a->body].edged;
        int reads = 0;
        for_each_load(values_, *a, [&](const access& from) {
            if (from.slot != slot) return;
            ++reads;
            suits = suits && loops_of(from) == all && plan_.is_whole(from);
        });
        if (a->kind == assignment_kind::map) return suits;
        const auto& factors = values_[a->body].arguments;
        return suits && reads == 1 &&
               std::ranges::all_of(factors, [&](expr f) { return values_[f].kind == kind::load; });
    }
    /// Whether a sum is one over ties where the elements of a tensor are made in it.
    bool sums_ties(const assign& reader, const assign& made) const {
        expr_list factors;
        if (reader.scale) factors.push_back(reader.scale);
        for (const expr f : values_.factors(reader.body)) {
            const auto& node = values_[f];
            if (node.kind != kind::load || node.source.slot != made.target.slot) {
                factors.push_back(f);
                continue;
            }
            factors.push_back(values_.renamed(made.body, *names_at(made.target, node.source)));
        }
        assign sum = reader;
        sum.kind = assignment_kind::map;
        sum.folding = fold::sum;
        sum.body = values_.multiply(factors);
        return ties_of(plan_, sum).has_value();
    }
    // Finds who else folds the terms of a softmax.
    void link(unstored& made, const assign& a) const {
        if (a.folding != fold::softmax) return;
        const auto folds = [&](std::size_t s, fold by) {
            const assign* const other = plan_.steps[s].as(assignment_kind::map);
            return other != nullptr && other->folding == by && other->body == a.body &&
                   other->over == a.over &&
                   std::ranges::none_of(
                       all_, [&](const unstored& t) { return t.logsumexp == s || t.parts == s; }) &&
                   plan_.type_of(other->target.slot) == plan_.type_of(a.target.slot);
        };
        for (std::size_t s = 0; s < plan_.steps.size() && is_of_two(a); ++s) {
            if (folds(s, fold::logsumexp)) made.logsumexp = s;
            else if (s > 0 && folds(s, fold::excess) && folds(s - 1, fold::maximum) &&
                     plan_.slot_of(plan_.steps[s - 1].as_assign()->target).name == ir::none)
                made.parts = s - 1;
            else continue;
            made.first = std::min(made.first, made.parts == s - 1 ? s - 1 : s);
        }
    }
    bool is_of_two(const assign& a) const {
        if (plan_.careful) return false;
        const auto found = grouped_terms(values_, a.body, a.over);
        return found.groups.size() == 2 && !found.masks;
    }

    // What they are made of -------------------------------------------------------------------

    void prepare(unstored& t) {
        const assign& a = *before_[t.step].as_assign();
        step_writer steps(plan_, a.equation, plan_.type_of(t.target.slot));
        if (a.folding == fold::none) t.factors = {a.body};
        else if (is_of_two(a)) prepare_product(t, a, steps);
        else prepare_weights(t, a, steps);
    }
    expr constant(double number) { return values_.constant(number); }
    expr less(expr a, expr b) { return values_.add({a, values_.multiply({constant(-1), b})}); }
    expr finite(expr x, slot_number like) {
        return finite_or_zero(values_, x, plan_.type_of(like));
    }

    // exp(x - max x) / sum of them; 0 where all x are -infinity.
    void prepare_weights(unstored& t, const assign& a, step_writer& steps) {
        const expr maximum =
            finite(steps.stored(values_.row(fold::maximum, a.over, a.body)), t.target.slot);
        const expr shifted = values_.apply(opcode::exp, less(a.body, maximum));
        const expr sum = steps.stored(values_.row(fold::sum, a.over, shifted));
        const expr inverse = steps.stored(values_.apply(
            opcode::select, sum, values_.apply(opcode::reciprocal, sum), constant(0)));
        t.factors = {values_.multiply({shifted, inverse})};
    }

    void prepare_product(unstored& t, const assign& a, step_writer& steps) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const expr nothing = constant(std::numeric_limits<double>::quiet_NaN());
        const auto found = grouped_terms(values_, a.body, a.over);
        expr_list shifts = found.beside, largest = found.beside;
        for (const term_group& g : found.groups) {
            const expr sum = values_.add(g.terms);
            largest.push_back(
                steps.stored(values_.row(fold::maximum, common(a.over, g.loops), sum)));
            shifts.push_back(finite(largest.back(), t.target.slot));
            t.factors.push_back(steps.stored(values_.apply(opcode::exp, less(sum, shifts.back()))));
        }
        const expr p = steps.sum_of_product(t.factors, a.over, nullptr);
        // Where all terms are -infinity, the weights are 0.
        expr least = largest[0];
        for (std::size_t k = 1; k < largest.size(); ++k)
            least = values_.apply(opcode::minimum, least, largest[k]);
        const expr is_none = values_.apply(opcode::equal, least, constant(-infinity));
        const expr is_exact =
            values_.apply(opcode::less_equal, constant(least_sum(t.target.slot, a.over)), p);
        const auto either = [&](expr exact, double none) {
            return values_.apply(opcode::select, is_exact, exact,
                                 values_.apply(opcode::select, is_none, constant(none), nothing));
        };
        t.factors.push_back(steps.stored(either(values_.apply(opcode::reciprocal, p), 0)));
        t.is_product = true;
        const expr log = values_.apply(opcode::log, p);
        const auto write = [&](std::size_t step, expr value) {
            const assign& other = *before_[step].as_assign();
            step_writer(plan_, other.equation, plan_.type_of(t.target.slot))
                .write(other.target, value, true);
        };
        if (t.logsumexp) {
            auto terms = shifts;
            terms.push_back(log);
            write(*t.logsumexp, either(values_.add(terms), -infinity));
        }
        if (t.parts) {
            write(*t.parts, values_.add(shifts));
            write(*t.parts + 1, either(log, -infinity));
        }
    }
    /// A factor or a product below the smallest normal number may be 0, which costs less than 3 of
    /// it for each term: of a larger sum that is less than half a unit of its last place.
    double least_sum(slot_number slot, const loop_list& over) const {
        const double terms = values_.size(over);
        if (plan_.type_of(slot) == element::f32)
            return terms * 8 * double{std::numeric_limits<float>::min()} /
                   double{std::numeric_limits<float>::epsilon()};
        return terms * 8 * std::numeric_limits<double>::min() /
               std::numeric_limits<double>::epsilon();
    }
    bool is_replaced(std::size_t s) const {
        return std::ranges::any_of(all_, [&](const unstored& t) {
            return t.step == s || t.logsumexp == s ||
                   (t.parts && (*t.parts == s || *t.parts + 1 == s));
        });
    }

    // Where they are read ---------------------------------------------------------------------

    bool reads_any(const step& s) const {
        return std::ranges::any_of(all_, [&](const unstored& t) { return s.reads(t.target.slot); });
    }
    /// What stands for a load: the factors of a tensor that is not stored, or the load.
    struct stand_in {
        expr_list factors;
        bool is_product = true;
    };
    stand_in stand_in_of(expr load) {
        const access from = values_[load].source;
        const auto of = std::ranges::find_if(
            all_, [&](const unstored& t) { return t.target.slot == from.slot; });
        if (of == all_.end()) return {{load}, true};
        const loop_map names = *names_at(of->target, from);
        stand_in made{{}, of->is_product};
        for (const expr f : of->factors) made.factors.push_back(values_.renamed(f, names));
        return made;
    }
    void rewrite(const assign& a) {
        const element type = plan_.type_of(a.target.slot);
        step_writer steps(plan_, a.equation, type);
        const bool contracts = a.kind == assignment_kind::contract;
        expr_list factors{contracts ? a.scale : constant(1)}, loads;
        bool products = true;
        for (const expr f : values_.factors(a.body)) {
            if (values_[f].kind != kind::load) {
                factors.push_back(f);
                products = false;
                continue;
            }
            const stand_in made = stand_in_of(f);
            products = products && made.is_product;
            for (const expr x : made.factors) loads.push_back(x);
        }
        products = products && a.folding == fold::sum;
        if (!products && !contracts) return rewrite_body(a);
        expr value;
        if (products) {
            factors.push_back(
                steps.sum_of_product(loads, a.over, a.beta == 0 ? &a.target : nullptr));
            value = values_.multiply(factors);
        } else {
            for (const expr x : loads) factors.push_back(x);
            value = values_.row(fold::sum, a.over, values_.multiply(factors));
        }
        if (a.beta != 0) {
            if (!products) value = steps.stored(value);
            value =
                values_.add({value, values_.multiply({constant(a.beta), values_.load(a.target)})});
        }
        const bool hides = a.hides || products;
        if (value != values_.load(a.target)) steps.write(a.target, value, hides);
        else std::get<assign>(plan_.steps.back().what).hides = hides;
    }
    void rewrite_body(const assign& a) {
        assign made = a;
        bool weak = false;
        made.body = values_.substituted(a.body, [&](expr e) {
            if (values_[e].kind != kind::load) return expr::none;
            const stand_in by = stand_in_of(e);
            weak = weak || (by.is_product && by.factors[0] != e);
            return values_.multiply(by.factors);
        });
        made.hides = a.hides || weak;
        plan_.steps.push_back(make_step(values_, std::move(made)));
    }

    program_plan& plan_;
    graph& values_;
    std::vector<unstored> all_;
    std::vector<step> before_;
};

}  // namespace

void make_where_read(program_plan& plan) { tensor_remover(plan).run(); }

}  // namespace ricci::plan
