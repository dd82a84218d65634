// What a printed term begins with, and what needs a bracket or a sign beside what stands before it.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

namespace ricci::ir {

constexpr bool is_sum_node(const node& x) {
    return x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(reduction::sum);
}
constexpr bool is_plain(const auto& p, ref name) { return p.names[name].kind == name_kind::plain; }
/// What the parser takes for an exponent rather than an index list after a name: a whole number.
constexpr bool is_power_exponent(const auto& p, ref n) {
    const node& x = p.nodes[n];
    return x.kind == op::number && x.value > -100 && x.value < 100 &&
           x.value == static_cast<double>(static_cast<std::int32_t>(x.value));
}
/// Whether the base of a power stands without parentheses.
constexpr bool is_bare_power(const auto& p, const node& x) {
    const node& base = p.nodes[p.child(x, 0)];
    return (base.kind == op::number && base.value >= 0 &&
            (base.value != circle_number || is_power_exponent(p, p.child(x, 1)))) ||
           (base.kind == op::tensor && base.positions.count == 0 && p.name(base.name) != "e" &&
            p.names[base.name].kind == name_kind::plain && is_power_exponent(p, p.child(x, 1)));
}
/// -1 times one thing, which is how a minus sign in front of a term is read.
constexpr bool is_minus_one(const auto& p, const node& x) {
    const node& first = p.nodes[p.child(x, 0)];
    const op other = p.nodes[p.child(x, 1)].kind;
    return x.children.count == 2 && first.kind == op::number && first.value == -1 &&
           other != op::add && other != op::number;
}
/// A term without the minus sign that is printed in front of it.
constexpr const node& signless(const auto& p, ref term) {
    const node& x = p.nodes[term];
    return x.kind == op::multiply && is_minus_one(p, x) ? p.nodes[p.child(x, 1)] : x;
}
/// Whether a term is printed with a minus sign in front, which is then left to the caller.
constexpr bool is_negative(const auto& p, ref n) {
    const node& x = p.nodes[n];
    if (x.kind == op::number) return x.value < 0;
    if (x.kind == op::multiply)
        return p.nodes[p.child(x, 0)].kind == op::number && is_negative(p, p.child(x, 0));
    if (!is_sum_node(x)) return false;
    const node& body = p.nodes[p.child(x, 0)];  // a sum of sums too
    return (body.kind == op::multiply || is_sum_node(body)) && is_negative(p, p.child(x, 0));
}
/// `last`: nothing follows it in its product.
constexpr bool starts_with_bracket(const auto& p, ref n, bool last) {
    const node& x = p.nodes[n];
    switch (x.kind) {
        case op::number:
            return x.value < 0;
        case op::add:
        case op::multiply:
            return true;
        case op::power:
            return !is_bare_power(p, x) || starts_with_bracket(p, p.child(x, 0), false);
        case op::apply:
            return x.detail == static_cast<std::uint8_t>(function::modulo);
        case op::reduce:
            return is_sum_node(x) || is_inverse(x) ||
                   (!last && x.detail == static_cast<std::uint8_t>(reduction::product));
        default:
            return false;
    }
}
constexpr bool starts_with_digit(const auto& p, ref n) {
    const node& x = p.nodes[n];
    if (x.kind == op::power) return starts_with_digit(p, p.child(x, 0));
    // Any other is in brackets.
    return x.kind == op::number && x.value >= 0 && x.value != circle_number;
}
/// \frac{1}{2}
constexpr bool is_fraction_of_numbers(const auto& p, const node& x) {
    return x.kind == op::divide && p.nodes[p.child(x, 0)].kind == op::number &&
           p.nodes[p.child(x, 1)].kind == op::number;
}
/// Whether a node is printed as letters alone, which are indices or read like some.
constexpr bool is_of_letters(const auto& p, ref n) {
    const node& x = p.nodes[n];
    if (x.kind == op::multiply) {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!is_of_letters(p, p.child(x, k))) return false;
        return true;
    }
    return x.kind == op::position || (x.kind == op::tensor && x.positions.count == 0);
}
/// Two factors that read as one thing side by side: two numbers, a number and a fraction, a name
/// that would be called with what stands in parentheses behind it, or one with indices and more
/// letters in parentheses. `last`: nothing follows them.
constexpr bool needs_sign(const auto& p, ref before, ref after, bool last) {
    const node* x = &p.nodes[before];
    if (x->kind == op::number &&
        (starts_with_digit(p, after) || is_fraction_of_numbers(p, p.nodes[after])))
        return true;
    if (x->kind == op::power && is_bare_power(p, *x)) x = &p.nodes[p.child(*x, 0)];
    const bool tensor = (x->kind == op::tensor && is_plain(p, x->name)) || x->kind == op::delta;
    if (tensor && x->positions.count > 0) {
        const node& y = p.nodes[after];
        return is_of_letters(p, y.kind == op::power ? p.child(y, 0) : after) &&
               starts_with_bracket(p, after, last);
    }
    return (tensor || x->kind == op::position) && starts_with_bracket(p, after, last);
}
/// What a mean under a condition is of, where a quotient is one: \sum_j [c] x over how many c
/// leaves; none for other quotients.
constexpr ref of_conditional_mean(const auto& p, const node& quotient) {
    const node &all = p.nodes[p.child(quotient, 0)], &count = p.nodes[p.child(quotient, 1)];
    if (count.kind != op::reduce || count.value != some_place || !is_sum_node(all) ||
        all.indices.count != count.indices.count)
        return none;
    for (std::int32_t k = 0; k < all.indices.count; ++k)
        if (p.reduced(all, k) != p.reduced(count, k)) return none;
    const node& product = p.nodes[p.child(all, 0)];
    const bool same = product.kind == op::multiply && product.children.count == 2 &&
                      same_expression(p, p.child(product, 0), p.child(count, 0));
    return same ? p.child(product, 1) : none;
}
/// \sum_{a=0}^{2}: a sum over [a \le 2] times something, whose axis has three places at least.
constexpr bool has_bounds(const auto& p, const node& sum) {
    const node& body = p.nodes[p.child(sum, 0)];
    if (sum.value < 1 || sum.indices.count != 1 || body.kind != op::multiply ||
        body.children.count != 2)
        return false;
    const node& c = p.nodes[p.child(body, 0)];
    if (c.kind != op::compare || c.detail != static_cast<std::uint8_t>(comparison::less_equal))
        return false;
    const node &place = p.nodes[p.child(c, 0)], &last = p.nodes[p.child(c, 1)];
    return place.kind == op::position && last.kind == op::number && last.value == sum.value - 1 &&
           p.at(place.positions, 0).index == p.reduced(sum, 0);
}

}  // namespace ricci::ir
