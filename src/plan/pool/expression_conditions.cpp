// Conditions among the planner's expressions: what counts as one, which are decided, and where some
// hold at all.
#include <algorithm>
#include <cmath>

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
    return std::all_of(all.begin(), all.end(), [&](expr f) { return is_bracket(f); });
}

bool graph::has_bracket(expr product) const {
    const auto all = factors(product);
    return std::any_of(all.begin(), all.end(), [&](expr f) { return is_bracket(f); });
}

// The product of the conditions, as a number that is 0 where no value of the other indices makes
// all of them true: what is looked up once is wanted where anyone wants it.
expr graph::holds_somewhere(expr_span conditions, const loop_list& indices) {
    expr_list here{constant(1)}, wider{constant(1)};
    for (expr c : conditions) {
        auto others = indices;
        for (expr other : conditions)
            if (other != c) others = united(others, (*this)[other].indices);
        const expr narrow = place_exists(c, others);
        (without((*this)[narrow].indices, indices).empty() ? here : wider).push_back(narrow);
    }
    const expr rest = multiply(wider);
    const auto over = without((*this)[rest].indices, indices);
    if (!over.empty()) here.push_back(row(fold::sum, over, rest));
    return multiply(here);
}

// [v = x] holds for some v, if v stands nowhere else, where x is a place of v's axis: no row of v
// has to be made to know that.
expr graph::place_exists(expr condition, const loop_list& others) {
    const auto& test = (*this)[condition];
    if (test.kind != kind::operation || test.code != opcode::equal || is_complex(type_))
        return condition;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto& position = (*this)[test.arguments[side]];
        const expr number = test.arguments[1 - side];
        if (position.kind != kind::position || position.at.offset != 0 ||
            position.at.terms.size() != 1 || position.at.terms[0].factor != 1)
            continue;
        const loop axis = position.at.terms[0].over;
        if (contains(others, axis) || contains((*this)[number].indices, axis)) continue;
        return is_place(number, extent(axis));
    }
    return condition;
}

expr graph::is_place(expr number, std::int64_t extent) {
    const auto last = static_cast<double>(extent - 1);
    return multiply({apply(opcode::less_equal, constant(0), number),
                     apply(opcode::less_equal, number, constant(last))});
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
