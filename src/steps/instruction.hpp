// Element-wise programs: what computes one element, as a list of instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace ricci::steps {

/// What an instruction of an element-wise program computes.
enum class opcode : std::uint8_t {
    constant,  // value
    load,      // operand `operand`
    // the number offset + sum of stride * counter of operand `operand`, which has no memory
    position,
    // one argument
    negate,
    square,
    reciprocal,
// the scalar functions, of one argument, then of two
#define RICCI_FUNCTION(NAME, ...) NAME,
#include <ricci/detail/functions.inc>
    // two arguments
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,  // 1 when true, 0 when false
    // three arguments: first when it is not 0 chooses second, otherwise third
    select,
};

inline constexpr int first_function = static_cast<int>(opcode::reciprocal) + 1;
inline constexpr int functions_of_one = 0
#define RICCI_FUNCTION(...) +1
#define RICCI_FUNCTION_OF_TWO(...)
#include <ricci/detail/functions.inc>
    ;

/// How many arguments an operation takes: 0 for constant, load and position.
constexpr int arity(opcode code) {
    if (code <= opcode::position) return 0;
    if (code == opcode::select) return 3;
    return static_cast<int>(code) < first_function + functions_of_one ? 1 : 2;
}

/// Instruction number k of a program defines value number k; its arguments are earlier values.
struct instruction {
    opcode code = opcode::constant;
    std::int32_t first = -1;
    std::int32_t second = -1;
    std::int32_t third = -1;
    std::int32_t operand = -1;  // load, position
    double value = 0;           // constant
};

/// Whether two instructions compute the same from the same arguments. Constants are equal when
/// their bits are: 1 / x tells 0.0 from -0.0, and a NaN is itself.
constexpr bool operator==(const instruction& a, const instruction& b) {
    const auto& [code, first, second, third, operand, value] = a;
    return code == b.code && first == b.first && second == b.second && third == b.third &&
           operand == b.operand &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(b.value);
}

}  // namespace ricci::steps
