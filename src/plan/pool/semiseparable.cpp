// Weights of pairs that are 1-semiseparable, as they are written.
#include "src/plan/pool/semiseparable.hpp"

#include <cstdlib>
#include <limits>

#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class weight_reader {
public:
    weight_reader(graph& values, const definitions& defined, const triangle& pairs)
        : values_(values), defined_(defined), pairs_(pairs) {}

    std::optional<pair_weight> read(expr factor) const {
        const auto& node = values_[factor];
        if (node.kind == kind::fold && node.over.size() == 1) {
            if (node.folding == fold::softmax) return softmax(node);
            if (node.folding == fold::product) return others(node);
        }
        if (const auto by_distance = of_distance(factor)) return by_distance;
        if (node.kind == kind::operation && node.code == opcode::equal)
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
                if (auto w = extreme(node.arguments[side], node.arguments[1 - side])) return w;
        return {};
    }

private:
    // The value under the condition of the pairs, of which `j` is the loop.
    expr value_under(expr cases, double otherwise, loop j) const {
        const auto found = chosen_in(values_, cases, otherwise);
        if (!found) return expr::none;
        auto same = triangle_in(values_, found->condition, j);
        if (!same) return expr::none;
        same->j = pairs_.j;
        return *same == pairs_ ? found->value : expr::none;
    }
    std::optional<pair_weight> weight(pair_weight::weight_kind kind, fold folding, expr of,
                                      loop j) const {
        if (!of || contains(values_[of].indices, pairs_.i)) return {};
        if (j != pairs_.j) {
            if (contains(values_[of].indices, pairs_.j)) return {};
            of = values_.renamed(of, {{j, pairs_.j}});
        }
        if (!contains(values_[of].indices, pairs_.j)) return {};
        return pair_weight{kind, folding, of, expr::none};
    }

    std::optional<pair_weight> softmax(const expression& node) const {
        const loop j = node.over[0];
        if (j != pairs_.j) return {};
        return weight(pair_weight::weight_kind::softmax, fold::maximum,
                      value_under(node.arguments[0], -infinity, j), j);
    }

    // The product over k of x_k under the condition and where k is not j.
    std::optional<pair_weight> others(const expression& node) const {
        const loop k = node.over[0];
        const expr body = node.arguments[0];
        const auto outer = chosen_in(values_, body, 1);
        if (!outer || k == pairs_.j || values_.extent(k) != values_.extent(pairs_.j)) return {};
        expr of;
        if (is_other(outer->condition, k)) of = value_under(outer->value, 1, k);
        else if (const auto inner = chosen_in(values_, outer->value, 1);
                 inner && is_other(inner->condition, k))
            of = value_under(
                values_.apply(opcode::select, outer->condition, inner->value, values_.constant(1)),
                1, k);
        return weight(pair_weight::weight_kind::others, fold::product, of, k);
    }
    bool is_other(expr condition, loop k) const {
        const auto& node = values_[condition];
        if (node.kind != kind::operation || node.code != opcode::not_equal) return false;
        auto difference = place_of(values_, node.arguments[0]);
        const auto right = place_of(values_, node.arguments[1]);
        if (!difference || !right || has_bounds(*difference) || has_bounds(*right)) return false;
        difference->add(*right, -1);
        return difference->offset == 0 && difference->terms.size() == 2 &&
               std::abs(difference->factor(k)) == 1 &&
               difference->factor(k) + difference->factor(pairs_.j) == 0;
    }
    static bool has_bounds(const place& p) { return p.edge != edge::none; }

    // [x_j = the extremum of all x].
    std::optional<pair_weight> extreme(expr value, expr compared) const {
        if (contains(values_[compared].indices, pairs_.j)) return {};
        const bool reads = values_[compared].kind == kind::load;
        const expr extremum = reads ? defined_.value_of(compared) : compared;
        if (!extremum || values_[extremum].over.size() != 1) return {};
        const fold folding = values_[extremum].folding;
        if (folding != fold::maximum && folding != fold::minimum) return {};
        const double otherwise = folding == fold::maximum ? -infinity : infinity;
        const loop k = values_[extremum].over[0];
        if (values_.extent(k) != values_.extent(pairs_.j)) return {};
        const expr of = value_under(values_[extremum].arguments[0], otherwise, k);
        auto found = weight(pair_weight::weight_kind::extreme, folding, of, k);
        const expr under = value_under(value, otherwise, pairs_.j);
        if (!found || (found->of != value && found->of != under)) return {};
        found->extremum = compared;
        return found;
    }

    // step * d + ahead, of the place of a pair or of how far it is from another one.
    struct places_between {
        std::int64_t step, ahead;
    };
    std::optional<places_between> distance_in(expr e) const {
        const auto& node = values_[e];
        if (node.kind == kind::operation && node.code == code_of(ir::function::absolute)) {
            auto inside = distance_in(node.arguments[0]);
            if (!inside) return {};
            if (inside->step >= 0 && inside->ahead >= 0) return inside;
            if (inside->step > 0 || inside->ahead > 0) return {};
            return places_between{-inside->step, -inside->ahead};
        }
        const auto at = place_of(values_, e);
        if (!at || has_bounds(*at) || at->terms.size() != 2) return {};
        const std::int64_t step = at->factor(pairs_.i);
        if (step == 0 || at->factor(pairs_.j) != -step) return {};
        // i - j is d - offset, or -d - offset where the pairs point down
        return places_between{pairs_.up ? step : -step, at->offset - step * pairs_.offset};
    }
    bool is_of_pair(expr e) const {
        return contains(values_[e].indices, pairs_.i) || contains(values_[e].indices, pairs_.j);
    }
    static pair_weight by(pair_weight::weight_kind kind, expr of, const places_between& d) {
        pair_weight made;
        made.kind = kind;
        made.of = of;
        made.step = d.step;
        made.ahead = d.ahead;
        return made;
    }
    std::optional<pair_weight> of_distance(expr factor) const {
        using enum pair_weight::weight_kind;
        const auto& node = values_[factor];
        if (const auto d = distance_in(factor)) return by(distance, expr::none, *d);
        if (node.kind != kind::operation) return {};
        if (node.code == opcode::not_equal || node.code == opcode::logical_or)
            return other_place(factor);
        if (node.code == opcode::power) {
            const expr base = node.arguments[0];
            const auto d = is_of_pair(base) ? std::nullopt : distance_in(node.arguments[1]);
            if (!d) return {};
            // 1 / 0 is no number that powers are made of.
            const bool is_number = values_[base].kind == kind::constant && values_[base].value != 0;
            if (d->step < 0 && !is_number) return {};
            return by(power, base, *d);
        }
        if (node.code != code_of(ir::function::exp)) return {};
        std::optional<places_between> d;
        expr_list rate{values_.constant(1)};
        for (const expr f : values_.factors(node.arguments[0])) {
            if (!is_of_pair(f)) {
                rate.push_back(f);
            } else if (d || !(d = distance_in(f))) {
                return {};
            }
        }
        if (!d) return {};
        return by(exponential, values_.multiply(rate), *d);
    }
    // [d != 0], or that or a condition on other things.
    std::optional<pair_weight> other_place(expr condition) const {
        const auto& node = values_[condition];
        if (node.code == opcode::logical_or) {
            for (const expr side : node.arguments)
                if (values_[side].kind == kind::operation &&
                    values_[side].code == opcode::not_equal)
                    if (const auto found = other_place(side)) return found;
            return {};
        }
        const auto left = place_of(values_, node.arguments[0]),
                   right = place_of(values_, node.arguments[1]);
        if (!left || !right || has_bounds(*left) || has_bounds(*right)) return {};
        auto difference = *left;
        difference.add(*right, -1);
        const auto d = distance_in(values_.position(difference));
        if (!d || d->ahead != 0) return {};
        return by(pair_weight::weight_kind::apart, expr::none, *d);
    }

    graph& values_;
    const definitions& defined_;
    const triangle& pairs_;
};

}  // namespace

std::optional<chosen> chosen_in(const graph& values, expr cases, double otherwise) {
    const auto& node = values[cases];
    if (node.kind != kind::operation || node.code != opcode::select ||
        !values.is_constant(node.arguments[2], otherwise))
        return {};
    return chosen{node.arguments[0], node.arguments[1]};
}

std::optional<triangle> triangle_in(const graph& values, expr condition, loop j) {
    if (const auto cases = chosen_in(values, condition, 0);
        cases && values.is_constant(cases->value, 1))
        condition = cases->condition;
    const auto bound = bound_in(values, condition, {j});
    if (!bound || bound->rest.terms.size() != 1) return {};
    const term& other = bound->rest.terms[0];
    if (other.factor != -bound->sign) return {};
    const bool up = bound->sign < 0;
    return triangle{j, other.over, up, up ? bound->rest.offset : -bound->rest.offset};
}

std::optional<pair_weight> pair_weight_in(graph& values, const definitions& extrema, expr factor,
                                          const triangle& pairs) {
    return weight_reader(values, extrema, pairs).read(factor);
}

}  // namespace ricci::plan
