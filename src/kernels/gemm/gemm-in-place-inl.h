// Micro-kernels that read rows of A where they lie, in Highway for every SIMD target. They are half
// of what contractions take to compile, so each element type has a file of its own for them. The
// including file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_IN_PLACE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_IN_PLACE_INL_H
#undef RICCI_KERNELS_GEMM_IN_PLACE_INL_H
#else
#define RICCI_KERNELS_GEMM_IN_PLACE_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-tile-inl.h"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
// Unnamed: the same names are compiled once for each element type.
namespace {

template <int rows, int vectors>
void gemm_in_place(std::int64_t depth, const row_panel<element_type>& panel,
                   const element_type* HWY_RESTRICT b, std::int64_t b_step,
                   const output_tile<element_type>& out) {
    constexpr int groups = (rows + 2) / 3;  // one address each: more would not stay in registers
    const std::int64_t row_step = panel.row_step, step = panel.step;
    const element_type* a[groups];
    RICCI_UNROLL
    for (int g = 0; g < groups; ++g) a[g] = panel.origin + 3 * g * row_step;
    const auto left = [&](int i)
                          HWY_ATTR RICCI_INLINE_LAMBDA { return a[i / 3] + i % 3 * row_step; };
    const auto advance = [&]() HWY_ATTR RICCI_INLINE_LAMBDA {
        RICCI_UNROLL
        for (int g = 0; g < groups; ++g) a[g] += step;
    };
    if (panel.ahead != 0)
        multiply_tile<rows, vectors, true>(depth, left, advance, panel.ahead, b, b_step, out);
    else multiply_tile<rows, vectors, false>(depth, left, advance, 0, b, b_step, out);
}

template <int rows, int vectors>
void add_tile_in_place(kernel_table<element_type>& table) {
    if constexpr (rows <= rows_of(vectors))
        table.gemm_in_place[rows - 1][vectors - 1] = &gemm_in_place<rows, vectors>;
}

template <int rows>
void add_rows_in_place(kernel_table<element_type>& table) {
    add_tile_in_place<rows, 1>(table);
    add_tile_in_place<rows, 2>(table);
    add_tile_in_place<rows, 3>(table);
    add_tile_in_place<rows, 4>(table);
    if constexpr (rows > 1) add_rows_in_place<rows - 1>(table);
}

}  // namespace

void add_in_place(kernel_table<element_type>& table) { add_rows_in_place<max_rows>(table); }

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
