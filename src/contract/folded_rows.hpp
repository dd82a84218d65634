// Rows of C that are no whole cache lines, but go on where their neighbours end.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/offsets.hpp"

namespace ricci::contract {

/// In a C such as C[d][b][a] of rows b and columns (d, a) a row holds runs of a, and the next row's
/// run begins where one ends. Several rows together are whole cache lines where one is not: tiles
/// of these are put together apart from C, and written past the caches.
struct folded_rows {
    // Elements of a run, and from a row of C to the next; 0: there are no such tiles.
    std::int64_t step = 0;
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

/// Whether a run begins at column `j`, and begins a line of `line` elements in every row of C that
/// does.
bool begins_run(const folded_rows& folded, const offset_vector& columns, std::int64_t j,
                std::int64_t line);

/// `rows`: of a full panel of rows. `line`: elements of a cache line.
folded_rows fold_rows(const offset_vector& c_rows, const offset_vector& c_columns,
                      std::int64_t rows, std::int64_t line);

}  // namespace ricci::contract
