// Tiles of several rows of C that are whole cache lines together, where a row is not.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/offsets.hpp"

namespace ricci::contractions {

/// In a C such as C[d][b][a] with rows b and columns (d, a), a row consists of runs of a, and where
/// a run ends the next row's begins. So several rows together can be whole cache lines where one is
/// not. Such tiles are put together apart from C, and written past the caches.
struct folded_rows {
    // Elements of a run, which is also the distance from one row of C to the next; 0: there are no
    // such tiles.
    std::int64_t step = 0;
    // Whether panel `i` of rows is full and begins a line.
    std::vector<std::uint8_t> panels;
    std::int64_t rows = 0;  // of a full panel
    // Where element (i, j) of a tile goes: at row[i] + column[j].
    std::vector<std::int64_t> row, column;

    /// Elements of a tile that follow each other in C.
    std::int64_t run_elements() const { return rows * step; }
};

/// The most elements of a tile that is put together.
inline constexpr std::int64_t most_folded = 2048;

/// Whether a run begins at column `j`, and with it a line of `line` elements, in each row of C that
/// begins a line.
bool begins_run(const folded_rows& folded, const offset_vector& columns, std::int64_t j,
                std::int64_t line);

/// `rows`: of a full panel of rows. `line`: elements of a cache line.
folded_rows fold_rows(const offset_vector& c_rows, const offset_vector& c_columns,
                      std::int64_t rows, std::int64_t line);

}  // namespace ricci::contractions
