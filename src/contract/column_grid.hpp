// Packing of a B whose columns are contiguous along another loop than those of C: tiles of both
// loops are transposed in registers, a k at a time, and dealt out to the panels.
#pragma once

#include <cstdint>

#include "src/contract/column_panels.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// The tiles: column j * rows + i of one lies `step` * i + j elements into it. No rows: there are
/// none.
struct column_grid {
    std::int64_t rows = 0, columns = 0, step = 0;
};

/// The grid of the two fastest loops of n; none where B is contiguous as C is, or a side is too
/// short.
column_grid find_column_grid(const loop_list& n, std::int64_t element_bytes);

/// What of a block of packed B one task packs: panels [panel, panel_end), and k in [from, to) of
/// those of the block, [k, k_end).
struct packed_part {
    std::int64_t panel = 0, panel_end = 0;
    std::int64_t k = 0, k_end = 0;
    std::int64_t from = 0, to = 0;
};

/// B, and how it is cut into panels.
template <class T>
struct grid_source {
    const T* b = nullptr;
    const offset_vector* columns = nullptr;
    const offset_vector* depth = nullptr;
    const column_panels* panels = nullptr;
    void (*transpose)(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                      std::int64_t rows, std::int64_t columns) = nullptr;
};

/// Packs the part to `to`, where its first panel's block begins.
template <class T>
void pack_grid(const column_grid& grid, const grid_source<T>& source, const packed_part& part,
               T* to);

}  // namespace ricci::contractions
