#include "src/plan/rewrite/share_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/plan/forms/path_through.hpp"
#include "src/plan/forms/recomputed.hpp"
#include "src/plan/pool/form.hpp"
#include "src/plan/pool/match.hpp"
#include "src/plan/rewrite/summed_product.hpp"

namespace ricci::plan {
namespace {

class sharing {
public:
    sharing(program_plan& plan, std::vector<read_equation>& read,
            const std::function<bool(slot_number)>& may_serve)
        : plan_(plan),
          values_(plan.values),
          read_(read),
          may_serve_(may_serve),
          forms_(plan.values) {}

    void run() {
        if (find_alike() && count_all()) rewrite_all();
    }

private:
    /// What is computed once if it is needed twice. Where all that need it multiply it by the same
    /// numbers, these are part of a contraction.
    struct shared_value {
        expr value;         // without the numbers
        expr_list scalars;  // with which its tensor is multiplied
        int uses = 0;
        access target;  // once it has a tensor
    };
    /// A use of one: the loops of its value here, and the numbers by which it is multiplied.
    struct use {
        std::size_t of;
        loop_map names;
        expr_list scalars;
    };

    // Which there are ----------------------------------------------------------------------------

    bool is_fold(expr e) const {
        const auto& node = values_[e];
        return (node.kind == kind::fold && !is_sum_of_few(values_, e)) ||
               (node.kind == kind::sum && !is_read_elsewhere(values_, e));
    }
    /// A sum or a fold, or such terms of the same loops, as a sum of terms becomes.
    bool is_folded(expr e) const {
        return is_fold(e) ||
               (values_.terms(e).size() > 1 && std::ranges::all_of(values_.terms(e), [&](expr t) {
                    return is_fold(t) && values_[t].indices == values_[e].indices;
                }));
    }
    /// What stands below it for this pass: what says where a tensor is looked up is of whole
    /// numbers, and stays there; what says for whom is not.
    expr_span below(expr e) const {
        const auto& node = values_[e];
        const expr_span all = node.arguments;
        return node.kind == kind::gather ? all.subspan(node.lookups.size()) : all;
    }
    /// Whether something is looked up below it that is not wanted everywhere: that stays under the
    /// conditions that say so.
    bool looks_up(expr e) {
        const auto& node = values_[e];
        if (node.kind == kind::gather) return node.arguments.size() > node.lookups.size();
        if (const auto known = looks_up_.find(e); known != looks_up_.end()) return known->second;
        const bool found = std::ranges::any_of(node.arguments, [&](expr a) { return looks_up(a); });
        return looks_up_[e] = found;
    }
    /// Whether an expression is met in this equation for the first time.
    bool is_new(expr e) {
        if (e.index() >= met_.size()) met_.resize(e.index() + 1, 0);
        return std::exchange(met_[e.index()], equation_) != equation_;
    }

    // Whether some have one form. Nothing else can be shared, and in most programs nothing has.
    bool find_alike() {
        for (read_equation& e : read_) {
            ++equation_;
            e.for_each_value([&](expr value) { look(value); });
        }
        std::ranges::sort(alike_);
        auto kept = alike_.begin();
        for (auto at = alike_.begin(); at != alike_.end();) {
            const auto next = std::upper_bound(at, alike_.end(), *at);
            if (next - at > 1) *kept++ = *at;
            at = next;
        }
        alike_.erase(kept, alike_.end());
        return !alike_.empty();
    }
    void look(expr e) {
        if (is_folded(e)) alike_.push_back(forms_.of(e));
        if (!is_new(e)) return;
        if (values_[e].kind == kind::sum) {
            const summed_product p(values_, e);
            for (std::size_t a = 0; p.has_pairs() && a < p.factors.size(); ++a)
                for (std::size_t b = a + 1; b < p.factors.size(); ++b)
                    alike_.push_back(form_of_pair(p, a, b));
        }
        for (const expr a : below(e)) look(a);
    }
    std::uint64_t form_of_pair(const summed_product& p, std::size_t a, std::size_t b) {
        return forms_.of_sum(p.closed_by(values_, a, b), expr_list{p.factors[a], p.factors[b]});
    }
    bool is_alike(std::uint64_t form) const { return std::ranges::binary_search(alike_, form); }

    // What is needed twice: of what is in a shared sum alone there is one use.
    bool count_all() {
        for (read_equation& e : read_) {
            ++equation_;
            e.for_each_value([&](expr value) { count(value); });
        }
        return std::ranges::any_of(all_, [](const shared_value& s) { return s.uses > 1; });
    }
    void count(expr e) {
        if (!count_use(e) || !is_new(e)) return;
        for (const expr pair : pairs_of(e)) count_use(pair);
        for (const expr a : below(e)) count(a);
    }
    // Whether what is in it is still to be counted.
    bool count_use(expr e) {
        const use* const found = use_of(e, true);
        if (found == nullptr) return true;
        shared_value& s = all_[found->of];
        if (s.scalars != found->scalars) s.scalars.clear();
        return ++s.uses == 1;
    }

    /// None: it is not shared, or not yet known where it `makes` no new one.
    const use* use_of(expr e, bool makes) {
        if (!is_folded(e) || !is_alike(forms_.of(e))) return nullptr;
        if (const auto known = uses_.find(e); known != uses_.end()) return &known->second;
        if (looks_up(e)) return nullptr;
        const summed_product product(values_, e);
        expr value = e;
        if (!product.scalars.empty())
            value = values_.sum(product.over, values_.multiply(product.factors));
        for (std::size_t k = 0; k < all_.size(); ++k)
            if (auto names = match_in_any_order(values_, forms_, all_[k].value, value))
                return &(uses_[e] = {k, std::move(*names), product.scalars});
        if (!makes) return nullptr;
        const bool contracted = product.is_contracted(values_);
        all_.push_back({value, contracted ? product.scalars : expr_list(), 0, {}});
        loop_map same;
        for (const loop l : values_[value].indices) same.emplace_back(l, l);
        return &(uses_[e] = {all_.size() - 1, std::move(same), product.scalars});
    }

    // Products inside sums -----------------------------------------------------------------------

    /// A bracket stays beside all that it hides: what is made of it elsewhere is a number.
    bool may_pair(const summed_product& p, std::size_t a, std::size_t b) {
        return !values_.is_bracket(p.factors[a]) && !values_.is_bracket(p.factors[b]) &&
               is_alike(form_of_pair(p, a, b)) && !p.closed_by(values_, a, b).empty() &&
               !p.pairs_places(values_, a, b);
    }
    bool may_pair(const summed_product& p) {
        if (!p.has_pairs()) return false;
        for (std::size_t a = 0; a < p.factors.size(); ++a)
            for (std::size_t b = a + 1; b < p.factors.size(); ++b)
                if (may_pair(p, a, b)) return true;
        return false;
    }
    /// Of the sums of two factors with which the best path through a longer product begins those
    /// that may stand elsewhere.
    expr_list pairs_of(expr sum) {
        expr_list pairs;
        const summed_product p(values_, sum);
        if (!may_pair(p) || looks_up(sum)) return pairs;
        const auto size = static_cast<std::int32_t>(p.factors.size());
        for (const auto& [left, right] : path_through(values_, p.factors, p.over).products) {
            if (left >= size || right >= size) continue;
            const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
            if (may_pair(p, a, b)) pairs.push_back(p.sum_of_pair(values_, a, b));
        }
        return pairs;
    }
    /// The same sum with shared sums of two of its factors in their place, while the rest of the
    /// path is no longer than the whole was. None: it has none.
    expr with_shared_pairs(expr sum) {
        summed_product p(values_, sum);
        if (!may_pair(p) || looks_up(sum)) return expr::none;
        const std::size_t written = p.factors.size();
        double least = p.multiplications(values_);
        for (std::size_t a = 0; a + 1 < p.factors.size(); ++a)
            for (std::size_t b = a + 1; b < p.factors.size() && p.factors.size() > 2; ++b) {
                if (!may_pair(p, a, b)) continue;
                const expr pair = p.sum_of_pair(values_, a, b);
                if (!is_shared(pair)) continue;
                summed_product less = p;
                less.over = without(p.over, p.closed_by(values_, a, b));
                less.factors[a] = pair;
                less.factors.erase(less.factors.begin() + static_cast<std::ptrdiff_t>(b));
                const double rest = less.multiplications(values_);
                if (rest > least) continue;
                least = rest;
                p = std::move(less);
                b = a;  // the pair may be one factor of another pair
            }
        if (p.factors.size() == written) return expr::none;
        p.factors.insert(p.factors.end(), p.scalars.begin(), p.scalars.end());
        return values_.sum(p.over, values_.multiply(p.factors));
    }

    // Rewriting ----------------------------------------------------------------------------------

    /// What was no use when uses were counted, as another pair of factors, may lack the numbers.
    bool is_shared(expr e) {
        const use* const found = use_of(e, false);
        if (found == nullptr) return false;
        const shared_value& s = all_[found->of];
        return s.uses > 1 && (s.scalars.empty() || s.scalars == found->scalars);
    }
    void rewrite_all() {
        std::vector<read_equation> before;
        before.swap(read_);
        for (read_equation& e : before) {
            around_ = &e;
            const expr whole = e.value;
            if (whole && is_shared(whole) && serves(e, *use_of(whole, false)))
                e.value = with_shared_inside(whole);
            else e.for_each_value([&](expr& value) { value = rewritten(value); });
            read_.push_back(std::move(e));
        }
    }

    // An equation that is the sum and nothing else: what it defines serves the others.
    bool serves(const read_equation& e, const use& found) {
        shared_value& s = all_[found.of];
        if (s.target.slot || s.scalars != found.scalars || !may_serve_(e.target.slot) ||
            loops_of(e.target) != values_[e.value].indices ||
            !plan_.holds(e.target.slot, values_.type()) || !plan_.is_whole(e.target))
            return false;
        s.target = renamed(e.target, turned(found.names));
        return true;
    }

    /// The same, of which parts are tensors that are shared.
    expr rewritten(expr e) {
        if (const auto known = done_.find(e); known != done_.end()) return known->second;
        const expr made = is_shared(e) ? tensor_of(*use_of(e, false)) : with_shared_inside(e);
        return done_[e] = made;
    }
    expr with_shared_inside(expr e) {
        if (values_[e].kind == kind::gather) return with_shared_condition(e);
        if (values_[e].kind == kind::sum)
            if (const expr paired = with_shared_pairs(e)) return rewritten(paired);
        const expr made = values_.substituted(
            e, [&](expr part) { return part == e ? expr::none : rewritten(part); });
        if (made == e || values_[made].code != opcode::multiply) return made;
        // Numbers that multiply what is shared are factors of the product that it stands in.
        const expr_list factors = values_[made].arguments;
        const bool nested = std::ranges::any_of(
            factors, [&](expr f) { return values_[f].code == opcode::multiply; });
        return nested ? values_.multiply(factors) : made;
    }
    expr with_shared_condition(expr gather) {
        if (below(gather).empty()) return gather;
        expr_list arguments = values_[gather].arguments;
        arguments.back() = rewritten(arguments.back());
        return values_.regathered(gather, std::move(arguments));
    }
    expr tensor_of(const use& found) {
        const auto [of, names, scalars] = found;
        if (!all_[of].target.slot) define(of, names);
        const shared_value& s = all_[of];
        const expr load = values_.load(renamed(s.target, names));
        if (s.scalars == scalars) return load;
        expr_list product;
        for (const expr number : scalars) product.push_back(rewritten(number));
        product.push_back(load);
        return values_.multiply(product);
    }
    // An equation of its own, its axes in the order of the equation that first needs it.
    void define(std::size_t of, const loop_map& names) {
        expr value = all_[of].value;
        if (!all_[of].scalars.empty()) {
            expr_list product = all_[of].scalars;
            product.push_back(values_[value].arguments[0]);
            value = values_.sum(values_[value].over, values_.multiply(product));
        }
        value = with_shared_inside(value);
        const loop_map mine = turned(names);
        loop_list axes;
        for (const loop l : around_->order)
            if (const loop there = renamed(l, mine);
                contains(values_[value].indices, there) && !contains(axes, there))
                axes.push_back(there);
        for (const loop l : axes_of(values_, all_[of].value))
            if (!contains(axes, l)) axes.push_back(l);
        read_equation made = new_equation(plan_, around_->number, axes, values_.type());
        made.value = value;
        all_[of].target = made.target;
        read_.push_back(std::move(made));
    }

    program_plan& plan_;
    graph& values_;
    std::vector<read_equation>& read_;
    const std::function<bool(slot_number)>& may_serve_;
    forms forms_;
    std::vector<std::uint64_t> alike_;  // forms that stand at two places or more, sorted
    std::vector<std::int32_t> met_;     // by expression: the last equation that has it
    std::int32_t equation_ = 0;         // in hand
    const read_equation* around_ = nullptr;
    std::vector<shared_value> all_;
    std::unordered_map<expr, bool> looks_up_;
    std::unordered_map<expr, use> uses_;
    std::unordered_map<expr, expr> done_;  // what is rewritten, once
};

}  // namespace

void share_sums(program_plan& plan, std::vector<read_equation>& read,
                const std::function<bool(slot_number)>& may_serve) {
    sharing(plan, read, may_serve).run();
}

}  // namespace ricci::plan
