// What the compiled engine is told to do: descriptors of loops over strided memory. No text, no
// names, no cache sizes and no thread counts. Strides and offsets count elements, not bytes; they
// may be zero or negative.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

namespace ricci::plan {

/// One loop of a contraction: its extent, and how far each operand moves when it advances by one.
/// An operand that lacks the index has stride 0.
struct contraction_loop {
    std::int64_t extent = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// C[batch, m, n] = alpha * sum over k of A[batch, m, k] B[batch, k, n] + beta * C[batch, m, n].
/// Each group holds any number of loops, in any order; an empty group is one iteration.
///   batch: in A, B and C     m: in A and C (b == 0)     n: in B and C (a == 0)     k: c == 0
/// A loop of extent 0 in batch, m or n means no work; in k it means a sum of nothing, which is 0.
/// C does not overlap A or B, and no two iterations of (batch, m, n) reach the same element of C.
struct contraction {
    element type = element::f32;
    std::span<const contraction_loop> batch;
    std::span<const contraction_loop> m;
    std::span<const contraction_loop> n;
    std::span<const contraction_loop> k;
};

/// What an instruction of an element-wise program computes.
enum class opcode : std::uint8_t {
    constant,  // value
    load,      // operand `operand`
    position,  // the number offset + sum of stride * counter of operand `operand`, which has no memory
    // one argument
    negate,
    absolute,
    sqrt,
    exp,
    log,
    sin,
    cos,
    tanh,
    sigmoid,
    relu,
    gelu,
    silu,
    elu,
    sign,
    erf,
    floor,
    square,
    reciprocal,
    logical_not,
    // two arguments
    add,
    subtract,
    multiply,
    divide,
    power,
    minimum,
    maximum,
    modulo,
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,  // 1 when true, 0 when false
    // three arguments: first when it is not 0 chooses second, otherwise third
    select,
};

/// Instruction number k of a program defines value number k; its arguments are earlier values.
struct instruction {
    opcode code = opcode::constant;
    std::int32_t first = -1;
    std::int32_t second = -1;
    std::int32_t third = -1;
    std::int32_t operand = -1;  // load, position
    double value = 0;           // constant
};

/// How the values of the folded loops become one, or a row.
enum class fold : std::uint8_t {
    none,       // no folded loops: one value for each element
    sum,        // 0 for an empty row
    mean,       // sum / number of values
    maximum,    // -infinity for an empty row
    minimum,    // +infinity for an empty row
    logsumexp,  // log of the sum of exp, stable; -infinity for an empty row or one of -infinity
    softmax,    // writes a value for each element of the row: exp(x - max) / sum; a row that is
                // -infinity everywhere gives zeros
};

/// How one operand of a map is walked: address = base + offset + sum over loops of stride * counter.
struct map_operand {
    std::int64_t offset = 0;
    std::span<const std::int64_t> strides;  // one for each loop
};

/// For every combination of the free loops: run the program over the folded loops and fold the
/// last instruction's values. operands[0] is the output (stride 0 along folded loops, except for
/// softmax). The output may be read by the program at the same element that is written (fold::none
/// and fold::softmax); otherwise it overlaps no operand.
struct map {
    element type = element::f32;
    fold folding = fold::none;
    std::span<const std::int64_t> extents;  // free loops, then folded loops; slowest first
    std::int32_t folded = 0;                // how many of the last loops are folded
    std::span<const map_operand> operands;
    std::span<const instruction> program;
};

}  // namespace ricci::plan
