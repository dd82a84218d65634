// An element-wise program after simplification: constants folded, common values shared, powers
// written out, products and sums fused, dead values dropped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/steps/instruction.hpp"

namespace ricci::elementwise {

/// Value number k of a program; `op` as in kernels::operation, arguments are earlier values.
struct node {
    int op = 0;
    int argument[3] = {-1, -1, -1};
    int operand = -1;
    double value = 0;
};

/// Constants are equal when their bits are.
bool operator==(const node& a, const node& b);
std::uint64_t hash_of(const node& n);

constexpr bool is(const node& n, steps::opcode code) { return n.op == kernels::operation(code); }

/// The last value is the result. Throws std::invalid_argument when there is none or an argument is
/// not an earlier value. `type`: what the program computes in; whole numbers have no reciprocals.
std::vector<node> simplify(std::span<const steps::instruction> program,
                           element type = element::f64);

/// Rough price of one element of the program, in nanoseconds on one core; sizes tasks only.
double cost_of(std::span<const node> program);

}  // namespace ricci::elementwise
