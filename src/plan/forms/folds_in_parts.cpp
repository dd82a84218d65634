// Folds under a condition that is several, of which one holds at a time: [j != i], or [j < i or
// j = n]. Each part is a fold of its own, where it takes one pass or is solved; nothing is taken
// away from the whole.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// A condition of more parts is looked at pair by pair. Other places than one of four indices have
// as many.
constexpr std::size_t most_parts = 8;

// Of fewer places all pairs are looked at.
constexpr std::int64_t fewest_related = 8;

/// Whether two bounds of a loop leave no place that both allow.
bool are_apart(const bound_of_fold& a, const bound_of_fold& b) {
    if (a.j != b.j || a.sign == b.sign) return false;
    const place both = a.rest.plus(b.rest);  // one less than how many places meet both
    return both.terms.empty() && both.offset < 0;
}

void add_alternatives(const graph& values, expr condition, expr_list& all) {
    const auto& node = values[condition];
    if (node.kind != kind::operation || node.code != opcode::logical_or)
        return all.push_back(condition);
    const expr first = node.arguments[0], second = node.arguments[1];
    add_alternatives(values, first, all);
    add_alternatives(values, second, all);
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

// The condition with each [j != i] in it as [j < i] and as [j > i].
expr_list lowering::sides_of_others(expr condition, const loop_list& over) {
    expr_list sides{graph_.constant(1)};
    bool any = false;
    for (const expr one : conjuncts_of(graph_, condition)) {
        const auto test = graph_[one];
        const bool other = test.kind == kind::operation && test.code == opcode::not_equal &&
                           !common(test.indices, over).empty() && compared_in(graph_, one);
        any = any || other;
        expr_list ways{one};
        if (other)
            ways = {graph_.apply(opcode::less, test.arguments[0], test.arguments[1]),
                    graph_.apply(opcode::less, test.arguments[1], test.arguments[0])};
        expr_list all;
        for (const expr side : sides)
            for (const expr way : ways) all.push_back(graph_.multiply({side, way}));
        sides = std::move(all);
    }
    return any ? sides : expr_list{condition};
}

// The conditions of which one holds at a time where a condition holds; that alone: it is one. Of
// several in turn each is what those before it leave: [j != i or l != k] is the other j, and at
// j = i the other l.
expr_list lowering::parts_of_condition(expr condition, const loop_list& over) {
    if (common(graph_[condition].indices, over).empty()) return {condition};
    expr_list alternatives;
    add_alternatives(graph_, condition, alternatives);
    if (alternatives.size() > most_parts) return {condition};
    expr_list all;
    for (std::size_t k = 0; k < alternatives.size(); ++k) {
        expr part = alternatives[k];
        for (std::size_t before = 0; before < k && !graph_.is_constant(part, 0); ++before) {
            part = without_other(part, alternatives[before], over);
            if (!part) return {condition};
        }
        if (graph_.is_constant(part, 0)) continue;
        for (const expr one : sides_of_others(part, over)) all.push_back(one);
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

// Whether a fold under conditions between some loops does, once its equalities are solved, or looks
// at few pairs.
bool lowering::is_short(const read_fold& f, const loop_list& related) {
    if (runs_by_index(f)) return true;
    const expr made = graph_.folded(f.by, f.over, f.body);
    const expression solved = graph_[made];
    if (solved.kind == kind::fold && solved.folding == f.by &&
        runs_by_index(described(f.by, solved.over, solved.arguments[0])))
        return true;
    loop_list many = related;
    erase_if(many, [&](loop l) { return graph_.extent(l) < fewest_related; });
    return !looks_at_pairs(made, many.size() > 1 ? many : related);
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
        const auto whole = [&](const read_fold& part) {
            return graph_.folded(part.by, part.over, part.body);
        };
        const auto is_strided = [&](const read_fold& part) {  // each residue of its places is short
            return part.by == fold::sum && bound_with_stride(whole(part)).what != loop::none;
        };
        if (parts.empty() || !std::ranges::all_of(parts, [&](const read_fold& part) {
                return is_short(part, related) || is_strided(part);
            }))
            continue;
        expr_list made;
        for (const read_fold& part : parts) {
            if (const auto prefix = prefix_of(part)) made.push_back(*prefix);
            else if (is_strided(part)) made.push_back(graph_.load(computed(whole(part))));
            else made.push_back(whole(part));
        }
        return combined(f.by, made);
    }
    return expr::none;
}

// The place whose size stands in a factor, where it is how far a summed loop is from another loop.
std::optional<place> lowering::sized_distance_in(expr e, const loop_list& over) const {
    const expression& node = graph_[e];
    if (node.kind != kind::operation || !node.bound.empty()) return {};
    if (node.code == opcode::absolute) {
        const auto at = place_of(graph_, node.arguments[0]);
        const bool between = at && at->edge == edge::none && at->terms.size() == 2 &&
                             at->terms[0].factor + at->terms[1].factor == 0;
        if (between && (contains(over, at->terms[0].over) || contains(over, at->terms[1].over)))
            return at;
    }
    for (const expr a : node.arguments)
        if (const auto found = sized_distance_in(a, over)) return found;
    return {};
}

// A sum with |i - j| in it, and no condition, as one up to each i and one from there on.
std::optional<expr> lowering::recurrences_of(const loop_list& over, expr body) {
    if (!carries_numbers()) return {};
    for (const expr f : list_of(graph_.factors(body))) {
        const auto distance = sized_distance_in(f, over);
        if (!distance) continue;
        const expr zero = graph_.constant(0), apart = graph_.position(*distance);
        const auto under = [&](expr condition) {
            return decayed_sum_of(described(over, graph_.multiply({body, condition})));
        };
        const auto before = under(graph_.apply(opcode::less_equal, zero, apart)),
                   behind = under(graph_.apply(opcode::less, apart, zero));
        if (!before || !behind) return {};
        const expr first = decayed(*before);
        return graph_.add({first, decayed(*behind)});
    }
    return {};
}

}  // namespace ricci::plan
