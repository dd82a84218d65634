// What is known of an element-wise program's values before it runs: interval analysis over a tile.
// Conditions on positions, and on numbers of rows and columns, make tiles empty, or make the
// conditions superfluous.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "src/steps/fused.hpp"

namespace ricci::fused {

/// All numbers from `least` to `most`. No default initialisers: arrays of them are made for every
/// tile.
struct interval {
    double least;
    double most;
    bool whole;  // all of them are whole numbers
    bool is(double value) const { return least == value && most == value; }
    bool known() const { return least == most; }
    bool is_any() const {
        return least == -std::numeric_limits<double>::infinity() &&
               most == std::numeric_limits<double>::infinity();
    }
};

/// Nothing is known; it may be NaN, too.
inline constexpr interval any_number{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity(), false};

/// What T makes of values that lie in an interval: whole numbers as far as T counts are exact, all
/// else is rounded, products and sums at once or apart.
template <class T>
interval rounded(interval exact);
extern template interval rounded<float>(interval);
extern template interval rounded<double>(interval);

/// Programs longer than this are not analysed.
inline constexpr std::size_t most_instructions = 192;

/// The interval of every value of a program that runs in T. `leaf(instruction)` gives that of a
/// load or position.
template <class T, class Leaf>
void find_intervals(std::span<const steps::instruction> program, interval* values, Leaf leaf);

/// The interval of an operation's value, before it is rounded.
interval apply(steps::opcode code, interval a, interval b, interval c);

/// Whether an instruction's value is a truth value, which may be known for a whole tile.
bool is_condition(steps::opcode code);

/// Of each instruction of a program, whether a condition rests on its value.
std::vector<char> deciding(std::span<const steps::instruction> program);

/// What is known of the conditions of a program: two bits each, 1 false, 2 true.
std::uint64_t signature_of(std::span<const steps::instruction> program, const interval* values);

/// The program with the conditions that a signature knows replaced by constants.
std::vector<steps::instruction> specialised(std::span<const steps::instruction> program,
                                            std::uint64_t signature);

template <class T, class Leaf>
void find_intervals(std::span<const steps::instruction> program, interval* values, Leaf leaf) {
    for (std::size_t k = 0; k < program.size(); ++k) {
        const auto& i = program[k];
        const auto argument = [&](std::int32_t n) {
            return n < 0 ? any_number : values[static_cast<std::size_t>(n)];
        };
        if (i.code == steps::opcode::constant) {
            const auto value = static_cast<double>(static_cast<T>(i.value));
            values[k] = {value, value, value == std::floor(value)};
        } else if (i.code == steps::opcode::load || i.code == steps::opcode::position) {
            values[k] = leaf(i);
        } else {
            values[k] =
                rounded<T>(apply(i.code, argument(i.first), argument(i.second), argument(i.third)));
        }
    }
}

}  // namespace ricci::fused
