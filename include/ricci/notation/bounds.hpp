// What the upper bound of a written sum says: `d` in \sum_{a=1}^{d}, `5` in \sum_{k=0}^{5}.
#pragma once

#include <cstdint>

#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

/// Stands in the `value` of a sum, a product or a norm until it is known what the sign runs over;
/// from then on the value is the least extent that the sum's index has to have.
namespace undecided {
inline constexpr double condition = -1;  // \sum_{j \le i}
inline constexpr double from_zero = -2;  // \sum_{j=0}^{i}
inline constexpr double from_one = -3;   // \sum_{j=1}^{i}
inline constexpr double none = -4;       // \sum_{j : j \le i}: nothing but the condition's place
inline constexpr double norm = -5;       // \lVert x \rVert
inline constexpr double norm_one = -6;
inline constexpr double norm_infinity = -7;
inline constexpr double truth = -8;  // of a comparison: [m^{ij}]
inline constexpr const char* not_a_condition =
    "brackets hold a condition, as in [j \\le i], or one tensor of bool; write (...) around a "
    "value";
constexpr bool is_norm(double value) { return value <= norm; }
}  // namespace undecided

/// Cases whose last line has a condition as well.
constexpr bool is_open_cases(const ir::node& x) {
    return x.kind == ir::op::choose && x.children.count % 2 == 0;
}
/// A sign that does not say by itself what it runs over, or cases that may leave something out.
constexpr bool is_undecided(const ir::node& x) {
    return ((x.kind == ir::op::reduce || x.kind == ir::op::compare) && x.value < 0) ||
           is_open_cases(x);
}

/// A bound, taken apart: a number, a name or an index, or one of the latter less one.
struct last_place {
    bool is_number = false;
    double number = 0;
    bool is_name = false;  // without indices: the extent that papers give the index
    ir::ref index = ir::none;
    bool less_one = false;

    constexpr last_place(const ir::program& p, ir::ref n) {
        const auto whole = [](const ir::node& x) {
            return x.kind == ir::op::number && x.value > -1e9 && x.value < 1e9 &&
                   x.value == static_cast<double>(static_cast<std::int64_t>(x.value));
        };
        const ir::node* x = &p.nodes[n];
        if (x->kind == ir::op::add && x->children.count == 2) {
            const ir::node& last = p.nodes[p.links[x->children.first + 1]];
            less_one = last.kind == ir::op::number && last.value == -1;
            if (less_one) x = &p.nodes[p.links[x->children.first]];
        }
        if (whole(*x)) {
            is_number = true;
            number = x->value - (less_one ? 1 : 0);
        } else if (x->kind == ir::op::tensor) {
            is_name = x->positions.count == 0;
        } else if (x->kind == ir::op::position) {
            index = p.positions[x->positions.first].index;
        }
    }
};

}  // namespace ricci::notation
