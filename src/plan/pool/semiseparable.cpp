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
    weight_reader(graph& values, const running_extrema& extrema, const triangle& pairs)
        : values_(values), extrema_(extrema), pairs_(pairs) {}

    std::optional<pair_weight> read(expr factor) const {
        const auto& node = values_[factor];
        if (node.kind == kind::fold && node.over.size() == 1) {
            if (node.folding == fold::softmax) return softmax(node);
            if (node.folding == fold::product) return others(node);
        }
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
        const expr extremum = extrema_.value_of(compared);
        if (!extremum || values_[extremum].over.size() != 1) return {};
        const fold folding = values_[extremum].folding;
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

    graph& values_;
    const running_extrema& extrema_;
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

std::optional<pair_weight> pair_weight_in(graph& values, const running_extrema& extrema,
                                          expr factor, const triangle& pairs) {
    return weight_reader(values, extrema, pairs).read(factor);
}

}  // namespace ricci::plan
