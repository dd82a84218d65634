// Places and expressions where loops are elsewhere.
#include <algorithm>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/plan/pool/expression.hpp"

namespace ricci::plan {
namespace {

// A multiple of a place with an edge, moved on: what it is within the bounds, and beyond them.
place multiple(const place& to, std::int64_t factor, std::int64_t offset) {
    place result;
    result.offset = offset;
    result.add(to, factor);
    if (to.edge == edge::none) return result;
    result.edge = to.edge;
    const auto low = offset + factor * to.low, high = offset + factor * to.high;
    result.low = std::min(low, high);
    result.high = std::max(low, high);
    return result;
}

}  // namespace

whole_interval graph::reach(const place& p) const {
    whole_interval all{p.offset, p.offset};
    for (const auto& s : p.terms) all.add(s.factor, extent(s.over));
    return all;
}

expr_list graph::within(const place& p, std::int64_t low, std::int64_t high) {
    const expr at = position(without_edge(p));
    return {apply(opcode::less_equal, number(low), at),
            apply(opcode::less_equal, at, number(high))};
}

std::optional<place> settled(const graph& values, place p) {
    if (p.edge == edge::none) return p;
    if (p.edge == edge::wrap) {
        // What goes round whole times changes nothing.
        const std::int64_t round = p.high - p.low + 1;
        erase_if(p.terms, [&](const term& t) { return t.factor % round == 0; });
    }
    const auto [least, most] = values.reach(p);
    if (least >= p.low && most <= p.high) return without_edge(std::move(p));
    switch (p.edge) {
        case edge::zero:
        case edge::nothing:
            if (most < p.low || least > p.high) return {};
            break;
        case edge::clamp:
            if (most <= p.low || least >= p.high) {
                p.offset = most <= p.low ? p.low : p.high;
                p.terms.clear();
                return without_edge(std::move(p));
            }
            break;
        case edge::wrap: {
            const std::int64_t round = p.high - p.low + 1;
            const std::int64_t times = floor_divide(least - p.low, round);
            p.offset -= times * round;  // turns that lead nowhere
            if (floor_divide(most - p.low, round) == times) return without_edge(std::move(p));
            break;
        }
        case edge::none:
            break;
    }
    return p;
}

std::optional<place> moved(const graph& values, const place& p, const moved_loop& m, bool* beyond) {
    const std::int64_t factor = p.factor(m.what);
    if (factor == 0) return p;
    const place rest = p.without(m.what);
    const auto& to = m.to;
    if (to.edge == edge::none) return rest.plus(to, factor);
    // Both edges together have a form only where this one is the loop's alone.
    const bool alone = rest.terms.empty();
    const bool exact = alone && (factor == 1 || factor == -1 || is_empty(to.edge));
    if (p.edge == edge::none && exact) {
        if (beyond != nullptr && is_empty(to.edge)) *beyond = true;
        return multiple(to, factor, rest.offset);
    }
    if (!is_empty(to.edge)) return {};
    // What is read beyond it does not count, and has to be somewhere.
    place result = rest.plus(to, factor);
    if (p.edge == edge::none) {
        const auto [least, most] = values.reach(p);
        result.edge = edge::zero;
        result.low = least;
        result.high = most;
        return result;
    }
    if (p.edge == to.edge && alone) {
        const auto inside = multiple(to, factor, rest.offset);
        result.low = std::max(p.low, inside.low);
        result.high = std::min(p.high, inside.high);
        if (beyond != nullptr) *beyond = true;
    }
    return result;
}

expr graph::moved(expr e, moved_loops loops, bool* covered) {
    memo known;
    return moved(e, loops, known, covered);
}

expr graph::moved(expr e, moved_loops loops, memo& known, bool* covered) {
    if (const auto found = known.find(e); found != known.end() && covered == nullptr)
        return found->second;
    const auto& node = (*this)[e];
    const bool moves = std::ranges::any_of(
        loops, [&](const moved_loop& m) { return contains(node.indices, m.what); });
    if (!moves) return e;
    expr made;
    switch (node.kind) {
        case kind::constant:
            return e;
        case kind::load:
        case kind::gather:
            made = moved_read(e, loops, known, covered);
            break;
        case kind::position:
            made = moved_position(node.at, loops);
            break;
        case kind::operation:
            made = moved_operation(node, loops, known, covered);
            break;
        case kind::sum:
        case kind::fold:
            made = moved_fold(e, loops, known);
            break;
    }
    return known[e] = made;
}

expr graph::moved_read(expr e, moved_loops loops, memo& known, bool* covered) {
    if (loops.size() == 1 && loops[0].number) return looked_up(e, loops[0]);
    const auto& node = (*this)[e];
    access source = node.source;
    bool all = covered != nullptr;
    for (const auto& m : loops) {
        bool beyond = false;
        for (place& p : source.at) {
            auto there = plan::moved(*this, p, m, &beyond);
            if (!there) return expr::none;
            p = std::move(*there);
        }
        all = all && (beyond || !is_empty(m.to.edge));
    }
    // What is looked up where its conditions are false is any number, not 0.
    if (all && !node.has_condition()) *covered = true;
    if (node.kind == kind::load) return load(std::move(source), node.condition);
    expr_list arguments;
    for (const expr a : node.arguments) {
        arguments.push_back(moved(a, loops, known, nullptr));
        if (!arguments.back()) return expr::none;
    }
    return regathered(e, std::move(arguments), std::move(source), node.lookups);
}

// What is read along some axes by the loop as it is, and by nothing else that has it.
expr graph::looked_up(expr read, const moved_loop& m) {
    const expression& node = (*this)[read];
    access source = node.source;
    auto lookups = node.lookups;
    expr_list numbers = node.arguments;
    if (has_edge(source) || numbers.size() != lookups.size()) return expr::none;
    for (const expr a : numbers)
        if (contains((*this)[a].indices, m.what)) return expr::none;
    for (std::size_t axis = 0; axis < source.at.size(); ++axis) {
        place& p = source.at[axis];
        if (p.factor(m.what) == 0) continue;
        if (loop_at(p) != m.what) return expr::none;
        p = {};
        lookups.push_back({static_cast<std::int32_t>(axis)});
        numbers.push_back(m.number);
    }
    const expr lands = is_place(m.number, extent(m.what));
    return gather(std::move(source), std::move(lookups), std::move(numbers), {&lands, 1},
                  node.condition);
}

expr graph::moved_position(place at, moved_loops loops) {
    for (const auto& m : loops) {
        if (at.factor(m.what) == 0) continue;
        if (m.number) return loop_at(at) == m.what ? m.number : expr(expr::none);
        if (m.to.edge != edge::none && !is_empty(m.to.edge)) return expr::none;
        at = *plan::moved(*this, at, {m.what, without_edge(m.to)});
    }
    return position(std::move(at));
}

expr graph::moved_fold(expr e, moved_loops loops, memo& known) {
    loop_list there;
    for (const auto& m : loops) {
        // A softmax has a value for each iteration of the loops that it is over.
        if (m.number || contains((*this)[e].over, m.what)) return expr::none;
        for (const auto& t : m.to.terms) add_loop(there, t.over);
    }
    // A loop that is bound here may be one that is meant there: then another one is bound.
    const auto& node = (*this)[apart(there, e)];
    if (node.folding == fold::softmax && !common(node.over, there).empty()) return expr::none;
    const expr body = moved(node.arguments[0], loops, known, nullptr);
    if (!body) return expr::none;
    return node.kind == kind::sum ? sum(node.over, body) : row(node.folding, node.over, body);
}

bool graph::vanishes(expr before, expr now) const {
    const auto& was = (*this)[before];
    return now != before && is_constant(now, 0) &&
           (is_bracket(before) || (was.kind == kind::load && has_edge(was.source, edge::nothing)));
}

expr graph::moved_operation(const expression& node, moved_loops loops, memo& known, bool* covered) {
    const bool product = node.code == opcode::multiply;
    expr_list arguments;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const expr before = node.arguments[k];
        const bool hides = product || (node.code == opcode::divide && k == 0);
        // So are cases that are 0 otherwise.
        const bool is_whole =
            product || (node.code == opcode::select && k == 1 && is_constant(node.arguments[2], 0));
        const expr now = moved(before, loops, known, is_whole ? covered : nullptr);
        if (!now) return expr::none;
        if (hides && vanishes(before, now)) return constant(0);
        arguments.push_back(now);
    }
    return remade(node.self, std::move(arguments));
}

}  // namespace ricci::plan
