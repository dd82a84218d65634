// The lanes of a tile for which anything counts, where that is not all of them: at the edge of a
// mask some vectors of lanes need fewer columns than others. What reads a tile by its steps leaves
// out the rest; it is 0 all the same, for those who read all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/kernels/fused/fused.hpp"
#include "src/fused/operations.hpp"

namespace ricci::fused {

/// Finds the steps of a range: `counts` says whether anything of a part of it counts. None where
/// all vectors of lanes count nearly everywhere.
template <class Counts>
std::vector<tile_step> find_steps(const tile_range& range, std::int64_t lanes, Counts counts) {
    constexpr std::int64_t columns = 16;  // blocks of products are full then
    constexpr std::int64_t cost = 8;      // of a step: so many columns of a vector
    const std::int64_t vectors = (range.row_end - range.row + lanes - 1) / lanes;
    std::vector<tile_step> steps;
    std::int64_t saved = vectors * (range.column_end - range.column);
    for (std::int64_t c = range.column; c < range.column_end; c += columns) {
        tile_step step{c, std::min(range.column_end, c + columns), vectors, 0};
        for (std::int64_t v = 0; v < vectors; ++v) {
            const std::int64_t row = range.row + v * lanes;
            if (!counts(tile_range{row, std::min(range.row_end, row + lanes), step.column,
                                   step.column_end}))
                continue;
            step.first_vector = std::min(step.first_vector, v);
            step.last_vector = v + 1;
        }
        if (step.last_vector == 0) continue;
        saved -= step.vectors() * (step.column_end - step.column);
        if (!steps.empty() && steps.back().column_end == step.column &&
            steps.back().first_vector == step.first_vector &&
            steps.back().last_vector == step.last_vector) {
            steps.back().column_end = step.column_end;
        } else {
            steps.push_back(step);
        }
    }
    if (saved <= cost * (static_cast<std::int64_t>(steps.size()) - 1)) steps.clear();
    return steps;
}

/// tile = 0 for all lanes of all columns that no step has. The range has steps.
template <class T>
void clear_others(T* tile, const tile_range& range, std::int64_t width, std::int64_t lanes);

// For the others, a range without steps is one step of all lanes.

/// state[x] is joined with tile[., x] for each lane x: a fold of the table's `fold_rows`.
template <class T>
void fold_steps(const kernels::fused_table<T>& table, steps::monoid by, const T* tile,
                std::int64_t width, const tile_range& range, T* state);
/// The same of a maximum or minimum, with its place: the column.
template <class T>
void place_steps(const kernels::fused_table<T>& table, steps::monoid by, const T* tile,
                 std::int64_t width, const tile_range& range, T* value,
                 kernels::lane_place<T>* place);
/// count[x] gets how many of tile[., x] equal value[x].
template <class T>
void count_steps(const kernels::fused_table<T>& table, const T* tile, std::int64_t width,
                 const tile_range& range, const T* value, T* count);

/// The lanes of a tile that a fold of rows may read: those of whole vectors, and the rest of a last
/// tile, which is no vector. Calls whole(tile, column, columns, vectors) and rest(tile, column,
/// columns, lanes) with the range's columns.
template <class T, class Whole, class Rest>
void for_row_lanes(const tile_range& range, std::int64_t rows, std::int64_t width,
                   std::int64_t lanes, const T* tile, Whole whole, Rest rest) {
    const tile_step all{range.column, range.column_end, 0, width / lanes};
    const std::span<const tile_step> steps = range.steps.empty() ? std::span(&all, 1) : range.steps;
    for (const tile_step& s : steps) {
        const T* const from = tile + (s.column - range.column) * width + s.first_vector * lanes;
        const std::int64_t columns = s.column_end - s.column;
        const std::int64_t end = std::min(s.last_vector, rows / lanes);
        if (end > s.first_vector) whole(from, s.column, columns, end - s.first_vector);
        if (end < s.last_vector && rows % lanes != 0)
            rest(from + (end - s.first_vector) * lanes, s.column, columns, rows % lanes);
    }
}

/// tile = the weights of scores, which may be the tile.
template <class T>
void weigh_steps(const kernels::fused_table<T>& table, T* tile, const T* scores, std::int64_t width,
                 const tile_range& range, const kernels::softmax_state<T>& state);
/// The same times a factor for each lane, with maxima that were found before.
template <class T>
void weigh_steps_again(const kernels::fused_table<T>& table, T* tile, const T* scores,
                       std::int64_t width, const tile_range& range, const T* maximum,
                       const T* factor);

/// The product that makes a tile: rows of C are its columns. Lanes that no step has are left as
/// they are. `multiply`: of products, or of distances.
template <class T>
void multiply_steps(
    const kernels::fused_table<T>& table,
    void (*const (&multiply)[kernels::max_fused_vectors])(const kernels::lane_product<T>&),
    const kernels::lane_product<T>& whole, const tile_range& range);

/// Sums over the columns of a tile, which is B. In mode `rescale` a lane that no step has is left
/// as it is, and others are rescaled once.
template <class T>
void sum_steps(const kernels::fused_table<T>& table, const kernels::lane_product<T>& whole,
               const tile_range& range);

/// Sums over the rows of a tile, which is A, as wide as `vectors`.
template <class T>
void sum_row_steps(const kernels::fused_table<T>& table, std::int64_t vectors,
                   const kernels::lane_product<T>& whole, const tile_range& range);

}  // namespace ricci::fused
