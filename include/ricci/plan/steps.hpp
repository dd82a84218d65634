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
    // Complex numbers: A, or B, is conjugated on the way.
    bool conjugate_a = false;
    bool conjugate_b = false;
};

/// What an instruction of an element-wise program computes.
enum class opcode : std::uint8_t {
    constant,  // value
    load,      // operand `operand`
    position,  // the number offset + sum of stride * counter of operand `operand`, which has no memory
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

/// How the values of the folded loops become one, or a row.
enum class fold : std::uint8_t {
    none,       // no folded loops: one value for each element
    sum,        // 0 for an empty row
    mean,       // sum / number of values
    maximum,    // -infinity for an empty row
    minimum,    // +infinity for an empty row
    product,    // 1 for an empty row
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

/// Where a loop of a stream belongs: a tile spans rows and columns of one batch.
enum class stream_axis : std::uint8_t { batch, row, column };

struct stream_loop {
    std::int64_t extent = 1;
    stream_axis axis = stream_axis::batch;
};

/// A loop that a stream has beside those of its tiles, and how far two operands move along it.
struct stream_inner_loop {
    std::int64_t extent = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
};

/// A tile that a contraction gives: number * the sum over `contracted` of A[batch, row] B[batch,
/// column]. The number is given when the stream runs.
struct stream_product {
    std::int32_t a = -1;  // operands; A has strides of 0 along column loops, B along row loops
    std::int32_t b = -1;
    std::span<const stream_inner_loop> contracted;
};

enum class stage_kind : std::uint8_t {
    values,   // the program's values
    weights,  // exp(value - the largest value of the row): 0 where the value is -infinity
    remade,   // exp(value - what `log_sum_exp` has for the row), which is at most about 1
};

/// A tile that an element-wise program gives. Its instructions load memory operands by their number,
/// and earlier tiles by tile_operand(number): products first, then stages, in order.
struct stream_stage {
    stage_kind kind = stage_kind::values;
    std::span<const instruction> program;
    /// weights: an operand that gets log(sum of exp(value)) of each row, `empty` where all values are
    /// -infinity; -1: it is not wanted. remade: an operand that is read.
    std::int32_t log_sum_exp = -1;
    double empty = 0;
};

constexpr std::int32_t tile_operand(std::int32_t tile) { return -2 - tile; }

/// What becomes of a tile: it is summed over its columns, alone or as a factor of a contraction, or, as
/// a factor, over its rows, or it is written as it is.
///   C[batch, row, value] = number * sum over columns of tile[column, row] B[batch, column, value]
///                          + beta * C[batch, row, value]
///   C[batch, column, value] = number * sum over rows of tile[column, row] B[batch, row, value]
///                          + beta * C[batch, column, value]
///   C[batch, row, column] = number * tile[column, row] + beta * C[batch, row, column], summed over the
///                          loops of the batch along which C does not move
/// C is not read when beta is 0. The number is given when the stream runs.
struct stream_sink {
    std::int32_t tile = -1;
    stream_axis summed = stream_axis::column;  // batch: the tile itself is written
    std::int32_t b = -1;                       // operand; -1: 1 everywhere
    std::int32_t output = -1;                  // operand
    std::int32_t weights = -1;  // the stage whose weights the tile is proportional to: the sum is
                                // divided by theirs, and a row without weights gives 0; not where
                                // rows are summed
    std::span<const stream_inner_loop> values;  // a: of B, b: of the output
    double beta = 0;
    bool added =
        false;  // batch: C += number * tile instead, where rows and columns that differ may
                // reach the same element
};

/// Tiles that are made, transformed and consumed without being stored: products, then stages, then
/// sinks, for all columns of a row. Outputs overlap no other operand, and reach each element once.
struct stream {
    element type = element::f32;
    std::span<const stream_loop> loops;
    std::span<const map_operand>
        operands;  // a stride for each loop; those that only positions load
                   // have no memory
    std::span<const stream_product> products;
    std::span<const stream_stage> stages;
    std::span<const stream_sink> sinks;
};

/// One number for each row: number * the sum over `summed` of A[batch, row] B[batch, row].
struct stream_row_sum {
    std::int32_t a = -1, b = -1, output = -1;  // operands, with strides of 0 along column loops
    std::span<const stream_inner_loop> summed;
    double number = 1;
};

/// A product that two streams have in common, by its number in each.
struct stream_kept_product {
    std::int32_t first = -1, second = -1;
};

/// Two streams over the same loops and the sums between them. For each row, the sums need nothing of
/// the first stream but what it gives for that row, and the second nothing of both but that. The
/// first sums over columns only, the second over columns and rows.
struct stream_chain {
    stream first;
    std::span<const map_operand> operands;  // of the sums, as in a stream
    std::span<const stream_row_sum> sums;
    stream second;
    std::span<const stream_kept_product> kept;
};

/// An axis whose place a tensor of numbers says, one for each combination of the loops.
struct lookup {
    element type = element::i32;  // of the numbers: i32, i64, f32 or f64
    map_operand numbers;
    std::int64_t stride = 0;  // of the axis
    std::int64_t extent = 0;  // of the axis
};

/// out[loops] = in[loops, numbers], or as a scatter out[loops, numbers] += in[loops]: each lookup
/// moves its operand by the number times the stride of the axis. Without lookups a copy, which
/// converts where `source`, the type of `in`, is another, or a sum: a scatter may reach an element of
/// `out` any number of times. `out` overlaps nothing else.
struct gather {
    element type = element::f32;
    element source = element::f32;
    bool scatter = false;
    std::span<const std::int64_t> extents;  // slowest first
    map_operand out, in;
    std::span<const lookup> lookups;
};

}  // namespace ricci::plan
