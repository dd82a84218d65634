// The step of a fused group: tiles that are made, transformed and consumed without being stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/steps/instruction.hpp"
#include "src/steps/monoid.hpp"
#include "src/steps/operand.hpp"

namespace ricci::steps {

/// The role of a loop of a fused group: a tile spans rows and columns of one batch.
enum class loop_role : std::uint8_t { batch, row, column };

struct fused_loop {
    std::int64_t extent = 1;
    loop_role axis = loop_role::batch;
};

/// A loop beside those of the tiles: how far two operands move along it, and a third one where
/// there is one.
struct inner_loop {
    std::int64_t extent = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// A tile that a contraction gives: number * the sum over `contracted` of A[batch, row] B[batch,
/// column]. The number is given when the group runs. Or a tile of squared distances: the sum of
/// weight * (A[batch, row] - B[batch, column])^2, whose number is 1.
struct tile_product {
    bool is_distance = false;
    /// Of distances: each is a sum of squared differences. Others may be made of a product and two
    /// norms, but for those that this would cost their digits.
    bool exact = true;
    std::int32_t weights = -1;  // of distances: an operand, with strides of 0; -1: 1
    std::int32_t a = -1;  // operands; A has strides of 0 along column loops, B along row loops
    std::int32_t b = -1;
    std::vector<inner_loop> contracted;
};

enum class operation_kind : std::uint8_t {
    values,      // the program's values
    weights,     // exp(value - the largest value of the row): 0 where the value is -infinity
    recomputed,  // the same divided by its sum: exp(value - maximum) * largest, which have been
                 // found before; 0 in rows where the maximum is -infinity
};

/// A tile that an element-wise program gives. The program loads operands in memory by their number,
/// and earlier tiles by tile_operand(number). Tiles are numbered in order: products first, then
/// operations.
struct tile_operation {
    operation_kind kind = operation_kind::values;
    std::vector<instruction> program;
    /// values: the same instructions run wherever conditions hold, so that whoever makes the tile
    /// again, and compares, has the same bits.
    bool pinned = false;
    /// weights: operands that get log(sum of exp(value)) of each row; its largest value, and by how
    /// much the former is larger; 1 / the sum of its weights, 0 where there are none. -1: nobody
    /// wants it. recomputed: the largest value and the last one are read. They stay two numbers:
    /// a large maximum leaves no room in their sum for the other.
    std::int32_t log_sum_exp = -1, maximum = -1, excess = -1, largest = -1;
};

constexpr std::int32_t tile_operand(std::int32_t tile) { return -2 - tile; }

/// What becomes of a tile: it is summed over its columns or over its rows, alone or as a factor of
/// a contraction, or it is written as it is.
///   C[batch, row, value] = number * sum over columns of tile[column, row] B[batch, column, value]
///                          + beta * C[batch, row, value]
///   C[batch, column, value] = number * sum over rows of tile[column, row] B[batch, row, value]
///                          + beta * C[batch, column, value]
///   C[batch, row, column] = number * tile[column, row] + beta * C[batch, row, column], summed over
///                          the loops of the batch along which C does not move
/// C is not read when beta is 0. The number is given when the group runs. Other folds than sums are
/// of a tile as it is: C = its product, maximum or minimum; number and beta are 1 and 0.
struct tile_consumer {
    std::int32_t tile = -1;
    monoid by = monoid::sum;
    /// Of a maximum or minimum: an operand that gets how many values equal it. -1: nobody wants it.
    std::int32_t count = -1;
    /// Likewise one of whole numbers of 32 bits that gets the place, along the only loop that is
    /// summed, where it stands: the first of equals, and of NaN where there are any.
    std::int32_t place = -1;
    loop_role summed = loop_role::column;  // batch: the tile itself is written
    std::int32_t b = -1;                   // operand; -1: 1 everywhere
    std::int32_t output = -1;              // operand
    /// The operation whose weights the tile is proportional to: the sum is divided by the sum of
    /// the weights, and a row without weights gives 0. -1 where rows are summed.
    std::int32_t weights = -1;
    std::vector<inner_loop> values;  // a: of B, b: of the output
    double beta = 0;
    /// Of a sum over columns or rows, without B: an operand of whole numbers, one for each of
    /// these, which says at which of the values it is added up; what it says is none is added
    /// nowhere. -1: there is one value.
    std::int32_t landing = -1;
    element landing_type = element::i32;  // i32 or i64
    /// With batch: C += number * tile instead, where several pairs of a row and a column may reach
    /// the same element.
    bool added = false;
};

/// An axis of an operand whose place whole numbers say: one for each row, for each column, or for
/// all of a tile. What is at no place of it reads 1, which nobody wants.
struct tile_lookup {
    std::int32_t operand = -1;    // which is loaded by operations alone
    std::int32_t numbers = -1;    // an operand
    element type = element::i32;  // of the numbers: i32 or i64
    std::int64_t stride = 0;      // of the axis
    std::int64_t extent = 0;      // of the axis
};

/// How many numbers a fold that is no sum carries for each result.
constexpr std::int64_t numbers_carried(const tile_consumer& c) {
    return 1 + (c.count < 0 ? 0 : 1) + (c.place < 0 ? 0 : 1);
}

/// A fused group: for all columns of a row, products, then operations, then consumers. Outputs
/// overlap no other operand, and reach each element once. Consumers of one output sum the same
/// loops, and all but the first add to it.
struct fused_group {
    element type = element::f32;
    std::vector<fused_loop> loops;
    std::vector<operand> operands;  // a stride for each loop; no memory for positions
    std::vector<tile_lookup> lookups;
    std::vector<tile_product> products;
    std::vector<tile_operation> operations;
    std::vector<tile_consumer> consumers;
};

/// One number for each row: number * the sum over `summed` of A[batch, row] B[batch, row].
struct row_dot {
    std::int32_t a = -1, b = -1, output = -1;  // operands, with strides of 0 along column loops
    std::vector<inner_loop> summed;
    double number = 1;
};

/// A product that two groups have in common, by its number in each.
struct kept_product {
    std::int32_t first = -1, second = -1;
};

/// Two groups over the same loops, and the sums between them. For each row, the sums need only what
/// the first group gives for that row, and the second group only what both give for it. The first
/// group sums over columns only, the second over columns and rows.
struct fused_chain {
    const fused_group& first;
    std::span<const operand> operands;  // of the sums; a stride for each loop of the groups
    std::span<const row_dot> sums;
    const fused_group& second;
    std::span<const kept_product> kept;
};

}  // namespace ricci::steps
