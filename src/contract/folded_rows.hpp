// Rows of C that are shorter than what a cache line divides, but go on where their neighbours end.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/offsets.hpp"

namespace ricci::contract {

/// Where C lies in memory as if runs of its columns were the rows of a table, `step` elements each, one
/// for every row of C: tiles that hold whole runs of some rows are whole cache lines then, though a
/// single row is not. Such a tile is put together apart from C, and written past the caches in one piece.
struct folded_rows {
    std::int64_t step =
        0;  // elements of a run, and from a row of C to the next; 0: there are no such tiles
    // Of the panel of rows `i / rows`: whether it is full, and begins a line.
    std::vector<std::uint8_t> panels;
    std::int64_t rows = 0;  // of a full panel
    // Where element (i, j) of a tile goes: at row[i] + column[j].
    std::vector<std::int64_t> row, column;

    /// The elements that follow each other in C.
    std::int64_t run_elements() const { return rows * step; }
};

/// Elements of a tile that is put together, at most.
inline constexpr std::int64_t most_folded = 2048;

/// Whether a run begins at column `j`, and begins a line of `line` elements in every row of C that does.
bool begins_run(const folded_rows& folded, const offset_vector& columns, std::int64_t j,
                std::int64_t line);

/// `rows`: of a full panel of rows. `line`: elements of a cache line.
folded_rows fold_rows(const offset_vector& c_rows, const offset_vector& c_columns,
                      std::int64_t rows, std::int64_t line);

}  // namespace ricci::contract
