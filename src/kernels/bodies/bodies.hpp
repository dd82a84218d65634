// A register machine for element-wise bodies over pairs of rows and columns, and its instructions.
//
// A block is two vectors of rows times a few columns. One number of every pair of it is in
// registers, the accumulator; an instruction changes it, or takes it up into a fold. What else an
// instruction reads is in a frame of memory: two vectors for all columns of a block (of rows, or a
// constant), one number for each column, or a whole block that was stored before, or is of a plane.
//
// No pair knows of others: what becomes of one does not depend on where in a block it is. Folds
// over columns join those of a block first; folds over rows keep a vector for each column.
#pragma once

#include <cstdint>

#include "src/steps/instruction.hpp"
#include "src/steps/monoid.hpp"

namespace ricci::kernels {

/// Where an argument of an instruction is in the frame. Rows: two vectors, adjacent. Columns: the
/// number of column j is j behind the first. Blocks: of vectors, the rows of one column adjacent;
/// of a plane, the blocks of all columns follow each other.
enum class body_place : std::uint8_t { rows, columns, block };
inline constexpr int body_places = 3;

/// In the address of the state of a maximum or minimum, or what is found with it: none of the
/// values is NaN.
inline constexpr std::uint32_t body_numbers = std::uint32_t{1} << 31;

/// In the address of a block: it is of a plane, one number of each pair, and that of the first
/// column.
inline constexpr std::uint32_t body_plane = std::uint32_t{1} << 31;

/// The accumulator a becomes, with an argument x: a + x, a - x, x - a, and so on.
enum class body_binary : std::uint8_t {
    add,
    subtract,
    subtract_from,
    multiply,
    divide,
    divide_into,
    quotient,  // a / x and x / a within 1.5 ulp
    quotient_into,
    larger,
    smaller,
    logical_and,
    logical_or,
};
inline constexpr int body_binaries = 12;

/// The accumulator becomes 1 or 0: whether a < x, and so on.
enum class body_comparison : std::uint8_t {
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
};
inline constexpr int body_comparisons = 6;

/// In one rounding where the target has that: a x + y, x y + a, y - a x, a - x y.
enum class body_fused : std::uint8_t { scale_add, add_product, scale_from, less_product };
inline constexpr int body_fuseds = 4;

/// Of a row operand r and a column operand c: what the accumulator becomes.
enum class body_pair : std::uint8_t {
    sum,               // r + c
    difference,        // c - r
    other_difference,  // r - c
    product,           // r c
    add_product,       // a + r c
    times,             // a (c - r)
    times_other,       // a (r - c)
    square,            // (c - r)^2
    add_square,        // a + (c - r)^2
    two_squares,       // the sum of two such squares, of operands that follow each other, in
    three_squares,     // order, and of three of them
    add_two_squares,   // a + these
    add_three_squares,
    keep_where_different,  // r = c ? 0 : a
};
inline constexpr int body_pairs = 14;
constexpr int squares_of(body_pair p) {
    if (p == body_pair::two_squares || p == body_pair::add_two_squares) return 2;
    return p == body_pair::three_squares || p == body_pair::add_three_squares ? 3 : 1;
}

/// Of the accumulator alone: the operations of one argument in steps::opcode, and
enum class body_power : std::uint8_t {
    inverse_root,        // a^-1/2
    inverse_root_cubed,  // a^-3/2
};
inline constexpr int body_ones =
    steps::first_function + steps::functions_of_one - static_cast<int>(steps::opcode::negate);
inline constexpr int body_powers = 2;

/// Functions of two arguments: a^x, x^a, a mod x, x mod a.
enum class body_function : std::uint8_t { power, power_of, modulo, modulo_of };
inline constexpr int body_functions = 4;

/// What takes the accumulator up: a state gets it joined.
enum class body_fold : std::uint8_t {
    add,
    multiply,
    larger,
    smaller,
    exponentials,   // of two vectors each: the largest value, and the sum of exp(value - that);
                    // over columns only
    first_larger,   // of two each: the value, and the number y that goes with the first one
    first_smaller,  // that is as large, or as small; NaN is beyond all numbers
    larger_ties,    // of two each: the value, and how many are equal to it
    smaller_ties,
    add_times_rows,     // a x is added, of rows,
    add_times_columns,  // of columns,
    add_times_block,    // or of a block
    add_times,          // a (c - r) is added: x of rows, y of columns; over columns only
    add_times_other,    // a (r - c)
};
inline constexpr int body_folds = 14;
constexpr bool finds_first(body_fold f) {
    return f == body_fold::first_larger || f == body_fold::first_smaller;
}
constexpr bool counts_ties(body_fold f) {
    return f == body_fold::larger_ties || f == body_fold::smaller_ties;
}
/// Whether its state is two numbers for each result, that of all columns or rows before.
constexpr bool carries_two(body_fold f) {
    return f == body_fold::exponentials || finds_first(f) || counts_ties(f);
}

/// Of lines alone: what the accumulator becomes, of x anywhere and elements y.
enum class body_start : std::uint8_t {
    sum,
    difference,
    other_difference,
    product
};  // x - y, y - x
inline constexpr int body_starts = 4;

/// Numbers of instructions, a family after the other.
namespace body_id {
inline constexpr int load = 0;                                           // body_place
inline constexpr int store = load + body_places;                         // to a block
inline constexpr int binary = store + 1;                                 // body_binary, body_place
inline constexpr int comparison = binary + body_binaries * body_places;  // the same
inline constexpr int fused =
    comparison + body_comparisons * body_places;  // body_fused, places of x, y
inline constexpr int square_add = fused + body_fuseds * body_places * body_places;  // a^2 + x
inline constexpr int add_square = square_add + body_places;                         // a + x^2
inline constexpr int select = add_square + body_places;  // a != 0 ? x : y; places of both
inline constexpr int pair = select + body_places * body_places;
inline constexpr int one = pair + body_pairs;
inline constexpr int power = one + body_ones;
inline constexpr int function = power + body_powers;  // body_function, body_place
/// Folds of all columns of a row, whose state is two vectors; of all rows of a column, whose state
/// is a vector for each column. At edges, some columns of a block, and some lanes of folds of
/// rows, do not count.
inline constexpr int fold_columns = function + body_functions * body_places;
inline constexpr int fold_rows = fold_columns + body_folds;
inline constexpr int fold_columns_at_edge = fold_rows + body_folds;
inline constexpr int fold_rows_at_edge = fold_columns_at_edge + body_folds;
inline constexpr int end = fold_rows_at_edge + body_folds;
/// Of lines: the beginning of a program, and its end, which writes a result.
inline constexpr int start = end + 1;  // body_start, place of x
inline constexpr int finish = start + body_starts * body_places;
inline constexpr int count = finish + 1;

template <class Enum>
constexpr int number(Enum e) {
    return static_cast<int>(e);
}
constexpr int of(int family, body_place x) { return family + number(x); }
constexpr int of(int family, body_place x, body_place y) {
    return family + number(x) * body_places + number(y);
}
constexpr int of(body_binary what, body_place x) {
    return binary + number(what) * body_places + number(x);
}
constexpr int of(body_comparison what, body_place x) {
    return comparison + number(what) * body_places + number(x);
}
constexpr int of(body_start what, body_place x) {
    return start + number(what) * body_places + number(x);
}
constexpr int of(body_function what, body_place x) {
    return function + number(what) * body_places + number(x);
}
constexpr int of(body_fused what, body_place x, body_place y) {
    return of(fused + number(what) * body_places * body_places, x, y);
}
constexpr int of(body_pair what) { return pair + number(what); }
constexpr int of(steps::opcode what) { return one + number(what) - number(steps::opcode::negate); }
constexpr int of(body_power what) { return power + number(what); }

/// Products of x and y: the place of x is not behind that of y.
constexpr bool is_symmetric(body_fused what) {
    return what == body_fused::add_product || what == body_fused::less_product;
}
}  // namespace body_id

/// x, y: where arguments are in the frame, in elements; of a fold x is its state, y and z its
/// arguments, or z how far behind the first the second number of its state is. Squares: x and y are
/// of the first, others are z behind that of columns.
struct body_instruction {
    std::uint32_t id = body_id::end;
    std::uint32_t x = 0, y = 0, z = 0;
};

template <class T>
struct body_table {
    const char* target = "";
    int lanes = 1;
    int columns = 1;  // of a block, which has two vectors of rows

    /// Runs a program, which ends with `end`, over columns [first, end) of a frame: whole blocks.
    /// At edges columns from `count` on do not count, and of the rows those where the frame's
    /// first two vectors are 0. The frame and all that is in it is aligned to vectors.
    void (*run)(const body_instruction* program, T* frame, std::int64_t first, std::int64_t end,
                std::int64_t count) = nullptr;
};

/// The machine of the best SIMD target of this CPU. T: float, double.
template <class T>
const body_table<T>& body_machine();
template <>
const body_table<float>& body_machine<float>();
template <>
const body_table<double>& body_machine<double>();

}  // namespace ricci::kernels
