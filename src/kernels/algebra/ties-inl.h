// Tiles of sums over ties in Highway: the sum of each pair, and what is kept of it, in registers.
// The including file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_TIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_TIES_INL_H
#undef RICCI_KERNELS_TIES_INL_H
#else
#define RICCI_KERNELS_TIES_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/algebra/ties.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/unroll-depth-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using element_type = RICCI_ALGEBRA_TYPE;
using full_tag = hn::ScalableTag<element_type>;
using vector = hn::Vec<full_tag>;
constexpr int lane_count = static_cast<int>(HWY_LANES(element_type));
constexpr std::int64_t pitch = row_pitch<element_type>;

// Two registers for each vector of a tile.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tie_rows = 4;
constexpr int tie_vectors = 3;
#else
constexpr int tie_rows = 2;
constexpr int tie_vectors = 2;
#endif

#if HWY_TARGET <= HWY_AVX3
HWY_INLINE __m512 masked_sum(__m512 sum, __mmask16 where, __m512 x) {
    return _mm512_mask_add_ps(sum, where, sum, x);
}
HWY_INLINE __m512d masked_sum(__m512d sum, __mmask8 where, __m512d x) {
    return _mm512_mask_add_pd(sum, where, sum, x);
}
#endif

/// Adds x where two numbers are equal.
HWY_INLINE vector add_where_equal(vector sum, vector a, vector b, vector x) {
#if HWY_TARGET <= HWY_AVX3
    return vector{masked_sum(sum.raw, hn::Eq(a, b).raw, x.raw)};
#else
    return hn::Add(sum, hn::IfThenElseZero(hn::Eq(a, b), x));
#endif
}

template <steps::tie_test test, bool weighted, int vectors>
void tie_tile(std::int64_t depth, const tie_panels<element_type>& p) {
    const full_tag d;
    constexpr int width = vectors * lane_count;
    stored<vector> sums[tie_rows][vectors], kept[tie_rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < tie_rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            sums[i][v] = hn::Zero(d);
            kept[i][v] = hn::Load(d, p.kept + i * width + v * lane_count);
        }
    }
    const element_type* a = p.rows;
    const element_type* w = p.weights;
    const element_type* b = p.columns;
    for (std::int64_t k = 0; k < depth; ++k) {
        stored<vector> right[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
        RICCI_UNROLL
        for (int i = 0; i < tie_rows; ++i) {
            const vector left = hn::Set(d, a[i * pitch]);
            vector weight;
            if constexpr (weighted) weight = hn::Set(d, w[i * pitch]);
            else weight = hn::Set(d, element_type{1});
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const vector x = kept[i][v], y = right[v];
                if constexpr (test == steps::tie_test::row_is_sum)
                    sums[i][v] = add_where_equal(sums[i][v], hn::Add(x, y), left, weight);
                else sums[i][v] = add_where_equal(sums[i][v], hn::Add(left, y), x, weight);
            }
        }
        ++a;
        if constexpr (weighted) ++w;
        b += p.column_step;
    }
    RICCI_UNROLL
    for (int i = 0; i < tie_rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            element_type* const to = p.sums + i * width + v * lane_count;
            hn::Store(hn::Add(hn::Load(d, to), vector(sums[i][v])), d, to);
        }
    }
}

template <steps::tie_test test, bool weighted, int vectors>
void add_tie_tiles(tie_table<element_type>& table) {
    table.tile[static_cast<int>(test)][weighted ? 1 : 0][vectors - 1] =
        &tie_tile<test, weighted, vectors>;
    if constexpr (vectors > 1) add_tie_tiles<test, weighted, vectors - 1>(table);
}

const tie_table<element_type>* target_tie_table() {
    static const tie_table<element_type> table = [] {
        using enum steps::tie_test;
        tie_table<element_type> made;
        made.lanes = lane_count;
        made.rows = tie_rows;
        made.vectors = tie_vectors;
        add_tie_tiles<row_is_sum, false, tie_vectors>(made);
        add_tie_tiles<row_is_sum, true, tie_vectors>(made);
        add_tie_tiles<kept_is_sum, false, tie_vectors>(made);
        add_tie_tiles<kept_is_sum, true, tie_vectors>(made);
        return made;
    }();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
