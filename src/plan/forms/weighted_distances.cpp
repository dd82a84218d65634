// Sums of squared differences with weights, w^a (x^{ia} - z^{ja})^2, or w^{ja} where each j has its
// own: folds of what has all loops, which a fused group makes of x and z. As a product of w and the
// squares these would be stored.
#include <algorithm>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

/// Whether it is a difference of two values that each lack some of its loops, which are not summed.
bool lowering::is_difference_of_pairs(expr e, const loop_list& over) const {
    const auto is_smaller = [&](expr t) {
        return !without(without(graph_[e].indices, graph_[t].indices), over).empty();
    };
    return graph_.is_difference(e) && std::ranges::all_of(graph_.terms(e), is_smaller);
}

/// A sum over `over` of squared differences of pairs, times what has none but these loops and those
/// of one of the pairs, as one fold. None: it is nothing of the kind.
expr lowering::weighted_distance(const loop_list& over, expr body) {
    expr_list front, weights;
    // Whether a factor is a number in front, or weighs the squares that are summed.
    const auto is_apart = [&](expr f, bool squared) {
        const bool scalar = graph_.is_scalar(f);
        if (!scalar && common(graph_[f].indices, over).empty()) return false;
        (scalar ? front : weights).push_back(squared ? graph_.apply(opcode::square, f) : f);
        return true;
    };
    const auto inside = [&](expr f) {
        if (graph_[f].code != opcode::square) return expr_list{};
        return list_of(graph_.factors(graph_[f].arguments[0]));
    };
    const auto is_difference = [&](expr f) { return is_difference_of_pairs(f, over); };
    if (graph_.has_bracket(body) || graph_[body].edged) return expr::none;
    expr difference;
    for (const expr f : graph_.factors(body)) {
        const auto parts = inside(f);
        const auto found = std::ranges::find_if(parts, is_difference);
        if (difference || found == parts.end()) {
            if (!is_apart(f, false)) return expr::none;
            continue;
        }
        difference = *found;
        for (const expr part : parts)
            if (part != difference && !is_apart(part, true)) return expr::none;
    }
    if (!difference || weights.empty()) return expr::none;
    const expr weight = graph_.multiply(weights);
    const auto has_loops_of_weight = [&](expr side) {
        return without(without(graph_[weight].indices, over), graph_[side].indices).empty();
    };
    if (std::ranges::none_of(graph_.terms(difference), has_loops_of_weight)) return expr::none;
    front.push_back(stored(weight));
    front.push_back(graph_.apply(opcode::square, difference));
    return graph_.row(fold::sum, over, graph_.multiply(front));
}

}  // namespace ricci::plan
