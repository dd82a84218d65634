// The table of a contraction's kernels in Highway for every SIMD target, and its micro-kernels for
// packed operands; no threads, no blocking. The including file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_INL_H
#undef RICCI_KERNELS_GEMM_INL_H
#else
#define RICCI_KERNELS_GEMM_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-direct-inl.h"
#include "src/kernels/gemm/gemm-element-inl.h"
#include "src/kernels/gemm/gemm-lanes-inl.h"
#include "src/kernels/gemm/gemm-pack-inl.h"
#include "src/kernels/gemm/gemm-tile-inl.h"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/transpose-inl.h"
#include "src/kernels/gemm/vector-products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

// Fills in the kernels that do not pack A; defined in a file of its own for each element type.
void add_in_place(kernel_table<RICCI_GEMM_TYPE>& table);

// Unnamed: the same names are compiled once for each element type.
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void stream_lines(std::int64_t n, const element_type* from, element_type* to) {
    const full_tag d;
    for (std::int64_t t = 0; t < n; t += lane_count) hn::Stream(hn::Load(d, from + t), d, to + t);
}

// Packed rows are a constant distance apart, which takes no register.
template <int rows, int vectors>
void gemm_tile(std::int64_t depth, const element_type* HWY_RESTRICT a,
               const element_type* HWY_RESTRICT b, std::int64_t b_step,
               const output_tile<element_type>& out) {
    const auto left = [&](int i) HWY_ATTR RICCI_INLINE_LAMBDA { return a + i * pitch; };
    const auto advance = [&]() HWY_ATTR RICCI_INLINE_LAMBDA { ++a; };
    multiply_tile<rows, vectors, false>(depth, left, advance, 0, b, b_step, out);
}

template <int rows, int vectors>
void add_tile(kernel_table<element_type>& table) {
    if constexpr (rows <= rows_of(vectors)) {
        table.gemm[rows - 1][vectors - 1] = &gemm_tile<rows, vectors>;
        if constexpr (!in_halves) {
            table.multiply_direct[rows - 1][vectors - 1] = &multiply_direct<rows, vectors>;
            table.direct_rows[vectors - 1] = rows_of(vectors);
        }
    }
}

template <int rows>
void add_tiles(kernel_table<element_type>& table) {
    add_tile<rows, 1>(table);
    add_tile<rows, 2>(table);
    add_tile<rows, 3>(table);
    add_tile<rows, 4>(table);
    if constexpr (rows > 1) add_tiles<rows - 1>(table);
}

kernel_table<element_type> make_table() {
    kernel_table<element_type> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.mr = tile_rows;
    table.vectors = tile_vectors;
    table.wide_rows = wide_rows;
    add_tiles<max_rows>(table);
    add_in_place(table);
    table.direct_masks = has_masks;
    table.panel_pitch = pitch;
    table.pack_rows = &pack_rows;
    table.pack_across = &pack_across;
    table.pack_columns = &pack_columns;
    table.transpose = &transpose<element_type>;
    add_lane_kernels(table);
    table.stream_lines = &stream_lines;
    table.end_streams = [] { hwy::FlushStream(); };
    table.dot = &dot<element_type>;
    table.dot_rows = &dot_rows<element_type>;
    table.multiply_add = &multiply_add<element_type>;
    table.add_multiples = &add_multiples<element_type>;
    return table;
}

const kernel_table<element_type>* target_table() {
    static const kernel_table<element_type> table = make_table();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
