// What is known of an element-wise program's values before it runs: interval analysis over a tile.
// Conditions on positions make tiles empty, or make the conditions superfluous.
#pragma once

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
    bool is(double value) const { return least == value && most == value; }
    bool known() const { return least == most; }
};

/// Nothing is known; it may be NaN, too.
inline constexpr interval any_number{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

/// Programs longer than this are not analysed.
inline constexpr std::size_t most_instructions = 192;

/// The interval of every value of the program. `leaf(instruction)` gives that of a load or
/// position.
template <class Leaf>
void find_intervals(std::span<const steps::instruction> program, interval* values, Leaf leaf);

/// The interval of an operation's value.
interval apply(steps::opcode code, interval a, interval b, interval c);

/// Whether an instruction's value is a truth value, which may be known for a whole tile.
bool is_condition(steps::opcode code);

/// What is known of the conditions of a program: two bits each, 1 false, 2 true.
std::uint64_t signature_of(std::span<const steps::instruction> program, const interval* values);

/// The program with the conditions that a signature knows replaced by constants.
std::vector<steps::instruction> specialised(std::span<const steps::instruction> program,
                                            std::uint64_t signature);

template <class Leaf>
void find_intervals(std::span<const steps::instruction> program, interval* values, Leaf leaf) {
    for (std::size_t k = 0; k < program.size(); ++k) {
        const auto& i = program[k];
        const auto argument = [&](std::int32_t n) {
            return n < 0 ? any_number : values[static_cast<std::size_t>(n)];
        };
        if (i.code == steps::opcode::constant) {
            values[k] = {i.value, i.value};
        } else if (i.code == steps::opcode::load || i.code == steps::opcode::position) {
            values[k] = leaf(i);
        } else {
            values[k] = apply(i.code, argument(i.first), argument(i.second), argument(i.third));
        }
    }
}

}  // namespace ricci::fused
