// Folds under a condition that is several, of which one holds at a time: [j != i], or [j < i or
// j = n]. Each part is a fold of its own, where it takes one pass or is solved; nothing is taken
// away from the whole.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// A condition of more parts is looked at pair by pair.
constexpr std::size_t most_parts = 4;

/// Whether two bounds of a loop leave no place that both allow.
bool are_apart(const bound_of_fold& a, const bound_of_fold& b) {
    if (a.j != b.j || a.sign == b.sign) return false;
    const place both = a.rest.plus(b.rest);  // one less than how many places meet both
    return both.terms.empty() && both.offset < 0;
}

}  // namespace

// What is left of a condition where another one does not hold; the constant 0: nothing. None: that
// is not said by comparisons of places.
expr lowering::without_other(expr condition, expr other, const loop_list& over) {
    for (const loop j : over) {
        const auto a = bound_in(graph_, condition, {j}), b = bound_in(graph_, other, {j});
        if (a && b && are_apart(*a, *b)) return condition;
    }
    const auto compared = compared_in(graph_, other);
    if (!compared || compared->has_edge()) return expr::none;
    expr beside = graph_.opposite(other);
    // At the one place that an equality leaves.
    if (const auto at = compared_in(graph_, condition);
        at && at->code == opcode::equal && !at->has_edge()) {
        const place difference = at->difference();
        const term* solved = nullptr;  // a loop that is folded, if there is one
        for (const term& t : difference.terms)
            if (std::abs(t.factor) == 1 && (solved == nullptr || contains(over, t.over)))
                solved = &t;
        if (solved != nullptr) {
            const loop l = solved->over;
            beside =
                graph_.moved(beside, {l, place{}.plus(difference.without(l), -solved->factor)});
        }
    }
    return beside ? graph_.multiply({condition, beside}) : beside;
}

// The conditions of which one holds at a time where a condition holds; that alone: it is one.
expr_list lowering::parts_of_condition(expr condition, const loop_list& over) {
    const auto test = graph_[condition];
    if (test.kind != kind::operation || common(test.indices, over).empty()) return {condition};
    const auto& sides = test.arguments;
    if (test.code == opcode::not_equal && compared_in(graph_, condition))
        return {graph_.apply(opcode::less, sides[0], sides[1]),
                graph_.apply(opcode::less, sides[1], sides[0])};
    if (test.code != opcode::logical_or) return {condition};
    expr_list all = parts_of_condition(sides[0], over);
    const expr_list before = all;
    for (expr part : parts_of_condition(sides[1], over)) {
        for (const expr other : before) {
            part = graph_.is_constant(part, 0) ? part : without_other(part, other, over);
            if (!part) return {condition};
        }
        if (!graph_.is_constant(part, 0)) all.push_back(part);
    }
    return all.size() > most_parts ? expr_list{condition} : all;
}

// The conditions of the parts of what a fold over one loop is under.
std::vector<expr_list> lowering::parts_of_conditions(const expr_list& conditions, loop j) {
    for (std::size_t k = 0; k < conditions.size(); ++k) {
        const expr_list parts = parts_of_condition(conditions[k], {j});
        if (parts == expr_list{conditions[k]}) continue;
        std::vector<expr_list> all;
        for (const expr part : parts) {
            auto own = conditions;
            own.erase(own.begin() + static_cast<std::ptrdiff_t>(k));
            for (const expr one : conjuncts_of(graph_, part)) own.push_back(one);
            all.push_back(std::move(own));
        }
        return all;
    }
    return {conditions};
}

// Whether some sum or fold takes up a value for each pair of related loops.
bool lowering::looks_at_pairs(expr e, const loop_list& related) const {
    const auto& node = graph_[e];
    if (node.bound.empty()) return false;
    if (node.kind == kind::sum || node.kind == kind::fold) {
        const auto relates = [&](expr f) {
            const auto own = common(graph_[f].indices, related);
            return own.size() > 1 && !common(own, node.over).empty();
        };
        const auto all = graph_.factors(node.arguments[0]);
        if (std::ranges::any_of(all, relates)) return true;
    }
    return std::ranges::any_of(node.arguments, [&](expr a) { return looks_at_pairs(a, related); });
}

// Whether a fold up to a place of another loop takes one pass, or goes by blocks.
bool lowering::runs_by_index(const read_fold& f) {
    if (scanned(f)) return true;
    if (f.by != fold::sum) return false;
    const expr made = graph_.sum(f.over, f.body);
    return graph_[made].kind == kind::sum && in_blocks(made);
}

// Whether a fold under conditions between some loops does, or is solved.
bool lowering::is_short(const read_fold& f, const loop_list& related) {
    return runs_by_index(f) || !looks_at_pairs(graph_.folded(f.by, f.over, f.body), related);
}

// The folds of the parts of one of its conditions; nothing where that is one.
std::vector<read_fold> lowering::parts_of_fold(const read_fold& f, std::size_t k) {
    const expr whole = f.cases.parts[k];
    const expr_list parts = parts_of_condition(whole, f.over);
    if (parts == expr_list{whole} || graph_[whole].indices.size() < 2) return {};
    std::vector<read_fold> all;
    for (const expr part : parts) {
        guarded own = f.cases;
        own.parts[k] = part;
        all.push_back(described(f.by, f.over, body_of(graph_, f.by, own)));
    }
    return all;
}

// The fold as one of each part of a condition. None: it is nothing of the kind.
expr lowering::in_parts(const read_fold& f) {
    if (f.by == fold::mean || f.by == fold::excess || f.by == fold::softmax ||
        (f.by == fold::logsumexp && is_integer(type_)))
        return expr::none;
    for (std::size_t k = 0; k < f.cases.parts.size(); ++k) {
        const auto parts = parts_of_fold(f, k);
        const loop_list related = graph_[f.cases.parts[k]].indices;
        if (parts.empty() || !std::ranges::all_of(parts, [&](const read_fold& part) {
                return is_short(part, related);
            }))
            continue;
        expr_list made;
        for (const read_fold& part : parts) {
            const auto prefix = prefix_of(part);
            made.push_back(prefix ? *prefix : graph_.folded(part.by, part.over, part.body));
        }
        return combined(f.by, made);
    }
    return expr::none;
}

}  // namespace ricci::plan
