// Folds over all places but those between two bounds: what lies below, and what lies above. The sum
// over j of [j != i] x^j is one up to i, and one from i on; nothing is taken away from the whole.
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

// The two sides that a condition leaves of a folded loop: [j != i], or [j < i or j > i + 3], of
// which no place is on both.
std::optional<lowering::two_sides> lowering::sides_of(expr condition, const loop_list& over) {
    const auto test = graph_[condition];
    if (test.kind != kind::operation || common(test.indices, over).empty()) return {};
    const auto& sides = test.arguments;
    if (test.code == opcode::not_equal && compared_in(graph_, condition))
        return two_sides{graph_.apply(opcode::less, sides[0], sides[1]),
                         graph_.apply(opcode::less, sides[1], sides[0])};
    if (test.code != opcode::logical_or) return {};
    for (const loop j : common(test.indices, over)) {
        const auto first = bound_in(graph_, sides[0], {j}),
                   second = bound_in(graph_, sides[1], {j});
        if (!first || !second || first->sign == second->sign) continue;
        place both = first->rest;  // one less than how many places meet both
        both.add(second->rest, 1);
        if (both.terms.empty() && both.offset < 0) return two_sides{sides[0], sides[1]};
    }
    return {};
}

// The fold as one of what is below and one of what is above, where each takes one pass, or goes by
// blocks. None: it is nothing of the kind.
expr lowering::two_sided(fold folding, const loop_list& over, expr body) {
    if (!graph_.solves_places() || folding == fold::logsumexp) return expr::none;
    const guarded read = guarded_in(graph_, folding, body);
    for (std::size_t k = 0; k < read.parts.size(); ++k) {
        const auto sides = sides_of(read.parts[k], over);
        if (!sides) continue;
        const auto under = [&](expr condition) {
            guarded side = read;
            side.parts[k] = condition;
            return body_of(graph_, folding, side);
        };
        const expr below = under(sides->below), above = under(sides->above);
        const auto by_blocks = [&](expr side) {
            const expr sum = folding == fold::sum ? graph_.sum(over, side) : expr(expr::none);
            return sum && graph_[sum].kind == kind::sum && in_blocks(sum) ? sum : expr(expr::none);
        };
        const auto is_short = [&](expr side) {
            return scanned(folding, over, side) || by_blocks(side);
        };
        if (!is_short(below) || !is_short(above)) continue;
        const auto made = [&](expr side) {
            const auto prefix = prefix_of(folding, over, side);
            return prefix ? *prefix : by_blocks(side);
        };
        const expr first = made(below);
        return combined(folding, {first, made(above)});
    }
    return expr::none;
}

}  // namespace ricci::plan
