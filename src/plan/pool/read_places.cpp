// Expressions of positions, read as places.
#include <cmath>

#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {
namespace {

// max(low, x) or min(high, x): of a place within bounds, narrower ones.
std::optional<place> bounded(const graph& values, const expression& node, bool from_below) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto bound = whole_number(values, node.arguments[side]);
        if (!bound) continue;
        auto x = place_of(values, node.arguments[1 - side]);
        if (!x || (x->edge != edge::none && x->edge != edge::clamp)) return {};
        const whole_interval bounds = values.bounds(*x);
        x->low = bounds.least;
        x->high = bounds.most;
        x->edge = edge::clamp;
        auto& limit = from_below ? x->low : x->high;
        limit = from_below ? std::max(limit, *bound) : std::min(limit, *bound);
        // Bounds in the wrong order: the one that is applied last holds.
        if (x->low > x->high) x->low = x->high = *bound;
        return x;
    }
    return {};
}

}  // namespace

std::optional<std::int64_t> whole_number(const graph& values, expr e) {
    const auto& node = values[e];
    if (node.kind != kind::constant || std::floor(node.value) != node.value ||
        std::abs(node.value) > 1e15)
        return {};
    return static_cast<std::int64_t>(node.value);
}

std::optional<place> place_of(const graph& values, expr e) {
    const auto& node = values[e];
    if (node.kind == kind::position) return node.at;
    if (const auto number = whole_number(values, e)) {
        place fixed;
        fixed.offset = *number;
        return fixed;
    }
    if (node.code == opcode::maximum) return bounded(values, node, true);
    if (node.code == opcode::minimum) return bounded(values, node, false);
    if (node.code == opcode::modulo) {
        auto x = place_of(values, node.arguments[0]);
        const auto round = whole_number(values, node.arguments[1]);
        if (!x || x->edge != edge::none || !round || *round <= 0) return {};
        x->edge = edge::wrap;
        x->high = *round - 1;
        return x;
    }
    if (node.code != opcode::add) return {};
    // At most one of the terms has bounds, and the others are fixed then.
    place total;
    for (const expr t : node.arguments) {
        const auto x = place_of(values, t);
        if (!x) return {};
        total.add(*x, 1);
        if (x->edge == edge::none) continue;
        if (total.edge != edge::none) return {};
        total.edge = x->edge;
        total.low = x->low - x->offset;
        total.high = x->high - x->offset;
    }
    if (total.edge == edge::none) return total;
    std::size_t moving = 0;
    for (const expr t : node.arguments) moving += place_of(values, t)->terms.empty() ? 0 : 1;
    if (moving > 1) return {};
    total.low += total.offset;
    total.high += total.offset;
    return total;
}

}  // namespace ricci::plan
