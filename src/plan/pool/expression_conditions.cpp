// Conditions among the planner's expressions: what counts as one, which are decided, and where some
// hold at all.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/plan/pool/affine_bounds.hpp"
#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

bool graph::is_bracket(expr e) const {
    const auto& node = (*this)[e];
    if (node.kind == kind::load || node.kind == kind::gather) return node.condition;
    if (node.kind != kind::operation) return false;
    // cases of 1 and 0
    const auto is_truth = [&](expr value) {
        return is_constant(value, 0) || is_constant(value, 1) ||
               ((*this)[value].code == opcode::select && is_bracket(value));
    };
    if (node.code == opcode::select)
        return is_truth(node.arguments[1]) && is_truth(node.arguments[2]);
    return node.code == opcode::logical_not ||
           (node.code >= opcode::less && node.code <= opcode::logical_or);
}

bool graph::is_condition(expr e) const {
    const auto all = factors(e);
    return std::ranges::all_of(all, [&](expr f) { return is_bracket(f); });
}

bool graph::has_bracket(expr product) const {
    const auto all = factors(product);
    return std::ranges::any_of(all, [&](expr f) { return is_bracket(f); });
}

namespace {

/// What it compares, where these are places without an edge, of which one is before the other or
/// both are one.
std::optional<compared_places> margin_in(const graph& values, expr condition) {
    const auto compared = compared_in(values, condition);
    const bool plain = compared && !compared->has_edge() && compared->code != opcode::not_equal;
    return plain ? compared : std::nullopt;
}

/// Conditions that hold just where these do at some places of the loops that only comparisons of
/// places have: [j <= i] says nothing of j where there is an i at its end.
void project(graph& values, expr_list& conditions, const loop_list& indices) {
    loop_list compared, kept = indices;
    for (const expr c : conditions) {
        auto& loops = margin_in(values, c) ? compared : kept;
        loops = united(loops, values[c].indices);
    }
    const loop_list away = without(compared, kept);
    if (away.empty()) return;
    expr_list others;
    std::vector<place> margins;
    for (const expr c : conditions) {
        if (common(values[c].indices, away).empty()) {
            others.push_back(c);
            continue;
        }
        const auto places = *margin_in(values, c);
        margins.push_back(places.margin());
        if (places.code == opcode::equal) margins.push_back(places.difference());
    }
    std::vector<loop_extent> box;
    for (const loop l : away) box.push_back({l, values.extent(l)});
    const auto left = projected(margins, box);
    if (!left) return;
    conditions = std::move(others);
    for (const place& p : *left) conditions.push_back(values.not_negative(p));
}

}  // namespace

// The conditions together, as a number that is 0 where no value of the other indices makes all of
// them true: what is looked up once is wanted where anyone wants it.
expr graph::holds_somewhere(expr_span conditions, const loop_list& indices) {
    expr_list all, here{constant(1)}, wider, rest{constant(1)};
    for (const expr c : conditions)
        for (const expr part : conjuncts_of(*this, c))
            if (std::ranges::find(all, part) == all.end()) all.push_back(part);
    const auto is_here = [&](expr c) { return without((*this)[c].indices, indices).empty(); };
    for (const expr c : all) {
        auto others = indices;
        for (const expr other : all)
            if (other != c) others = united(others, (*this)[other].indices);
        const expr narrow = exists(c, others);
        (is_here(narrow) ? here : wider).push_back(narrow);
    }
    project(*this, wider, indices);
    for (const expr c : wider) (is_here(c) ? here : rest).push_back(c);
    const expr product = multiply(rest);
    const auto over = without((*this)[product].indices, indices);
    if (!over.empty()) here.push_back(row(fold::sum, over, product));
    return multiply(here);
}

// Where a condition holds for some value of a loop that stands nowhere else: [v = x] where x is a
// place of v's axis, and [v != i] where there are two.
expr graph::exists(expr condition, const loop_list& others) {
    if (is_complex(type_)) return condition;
    const auto found = loop_equality_in(*this, condition,
                                        [&](loop axis, expr) { return !contains(others, axis); });
    if (found) return is_place(found->number, extent(found->what));
    const auto& node = (*this)[condition];
    const auto lone = without(node.indices, others);
    // One of two conditions holds somewhere where either does.
    if (node.code == opcode::logical_or && !lone.empty() && is_bracket(node.arguments[0]) &&
        is_bracket(node.arguments[1])) {
        const auto kept = without(node.indices, lone);
        const expr first = holds_somewhere({&node.arguments[0], 1}, kept),
                   second = holds_somewhere({&node.arguments[1], 1}, kept);
        const auto is_truth = [&](expr e) {
            return is_condition(e) || is_constant(e, 0) || is_constant(e, 1);
        };
        return is_truth(first) && is_truth(second) ? apply(opcode::logical_or, first, second)
                                                   : condition;
    }
    const auto compared = compared_in(*this, condition);
    if (!compared || compared->code != opcode::not_equal || compared->has_edge()) return condition;
    const bool several = std::ranges::any_of(lone, [&](loop l) { return extent(l) > 1; });
    return several ? constant(1) : condition;
}

expr graph::is_place(expr number, std::int64_t extent) {
    const auto last = static_cast<double>(extent - 1);
    return multiply({apply(opcode::less_equal, constant(0), number),
                     apply(opcode::less_equal, number, constant(last))});
}

// The condition without a "not", where it is of one that has an opposite: of numbers that may be
// none an inequality has not. None: it is something else.
expr graph::negated(expr condition) {
    const expression& test = (*this)[condition];
    if (test.kind != kind::operation) return expr::none;
    switch (test.code) {
        case opcode::equal:
            return apply(opcode::not_equal, test.arguments[0], test.arguments[1]);
        case opcode::not_equal:
            return apply(opcode::equal, test.arguments[0], test.arguments[1]);
        case opcode::less:
        case opcode::less_equal: {
            if (!compared_in(*this, condition)) return expr::none;
            const bool strict = test.code == opcode::less;
            return apply(strict ? opcode::less_equal : opcode::less, test.arguments[1],
                         test.arguments[0]);
        }
        case opcode::logical_and:
        case opcode::logical_or: {
            if (!is_bracket(test.arguments[0]) || !is_bracket(test.arguments[1])) return expr::none;
            const bool both = test.code == opcode::logical_and;
            return apply(both ? opcode::logical_or : opcode::logical_and,
                         opposite(test.arguments[0]), opposite(test.arguments[1]));
        }
        default:
            return test.code == opcode::logical_not && is_bracket(test.arguments[0])
                       ? test.arguments[0]
                       : expr(expr::none);
    }
}

expr graph::opposite(expr condition) { return apply(opcode::logical_not, condition); }

// Cases in one form: conditions are not cases of 1 and 0, and a number stands behind what is none.
// None: they are in that form.
expr graph::chosen(expr condition, expr value, expr otherwise) {
    const auto& test = (*this)[condition];
    if (test.kind == kind::constant) return test.value != 0 ? value : otherwise;
    if (value == otherwise) return value;
    if (is_constant(otherwise, 0) && is_constant(value, 1) && is_condition(condition))
        return condition;
    if ((*this)[value].kind != kind::constant || (*this)[otherwise].kind == kind::constant)
        return expr::none;
    const expr other = negated(condition);
    return other ? apply(opcode::select, other, otherwise, value) : expr::none;
}

// A comparison of positions that holds everywhere, or nowhere; none: neither.
expr graph::compared_positions(opcode code, expr first, expr second) {
    place difference;
    for (const std::int64_t sign : {1, -1}) {
        const auto& node = (*this)[sign > 0 ? first : second];
        const bool whole = std::floor(node.value) == node.value && std::abs(node.value) < 1e15;
        if (node.kind == kind::position) difference.add(node.at, sign);
        else if (node.kind == kind::constant && whole)
            difference.offset += sign * static_cast<std::int64_t>(node.value);
        else return expr::none;
    }
    for (const auto& t : difference.terms)
        if (extent(t.over) == 0) return expr::none;
    const auto [least, most] = reach(difference);
    const auto decided = [&](bool always, bool never) {
        return always ? constant(1) : never ? constant(0) : expr::none;
    };
    switch (code) {
        case opcode::less:
            return decided(most < 0, least >= 0);
        case opcode::less_equal:
            return decided(most <= 0, least > 0);
        case opcode::equal:
            return decided(least == 0 && most == 0, least > 0 || most < 0);
        default:
            return decided(least > 0 || most < 0, least == 0 && most == 0);
    }
}

}  // namespace ricci::plan
