// A tile of a product over (maximum, +) or (minimum, +): extrema over all k in registers, then
// written to C. No term may be NaN. The including file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_EXTREMUM_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_EXTREMUM_TILE_INL_H
#undef RICCI_KERNELS_EXTREMUM_TILE_INL_H
#else
#define RICCI_KERNELS_EXTREMUM_TILE_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/algebra/extrema.hpp"
#include "src/kernels/algebra/extremum-fold-inl.h"
#include "src/kernels/gemm/unroll-depth-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t pitch = row_pitch<element_type>;

// As many accumulators as tiles of contractions have: panels are packed by the same kernels.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;
#else
constexpr int tile_rows = 6;
constexpr int tile_vectors = 2;
#endif

using stored_vector = stored<hn::Vec<full_tag>>;

/// Folds `depth` more k into `best`; a and b are those of the first one.
template <class Fold, int rows, int vectors>
HWY_INLINE void fold_depth(std::int64_t depth, const element_type* HWY_RESTRICT a,
                           const element_type* HWY_RESTRICT b, std::int64_t b_step,
                           stored_vector (&best)[rows][vectors]) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    RICCI_UNROLL_DEPTH
    for (std::int64_t k = 0; k < depth; ++k) {
        stored_vector right[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            const vector left = hn::Set(d, a[i * pitch]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                best[i][v] = Fold::join(hn::Add(left, vector(right[v])), vector(best[i][v]));
        }
        ++a;
        b += b_step;
    }
}

/// Joins `count` folds with what C holds there, if they are to be, and writes them.
template <class Fold>
HWY_INLINE void write_folds(hn::Vec<full_tag> best, int count, std::int64_t row, int column,
                            const extremum_tile<element_type>& out) {
    element_type* const c = out.c + row;
    const std::int64_t* const columns = out.columns + column;
    if (out.column_runs[column] >= count) {
        element_type* const to = c + columns[0];
        if (out.joins) best = join_all<Fold>(load_any(to, 1, count), best);
        store_lanes(best, to, 1, count);
        return;
    }
    const full_tag d;
    HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)];
    hn::Store(best, d, lanes);
    for (int x = 0; x < count; ++x) {
        element_type& to = c[columns[x]];
        if (!out.joins || takes_over<Fold>(lanes[x], to)) to = lanes[x];
    }
}

template <class Fold, int rows, int vectors>
void extremum_of_tile(std::int64_t depth, const element_type* a, const element_type* b,
                      std::int64_t b_step, const extremum_tile<element_type>& out) {
    const full_tag d;
    stored_vector best[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) best[i][v] = hn::Set(d, Fold::none);
    }
    fold_depth<Fold>(depth, a, b, b_step, best);
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const int count = HWY_MIN(lane_count, out.column_count - v * lane_count);
            if (count > 0)
                write_folds<Fold>(best[i][v], count, out.rows[i], v * lane_count, out);
        }
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
