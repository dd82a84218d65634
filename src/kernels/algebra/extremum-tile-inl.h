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

/// Writes a tile that lies in `tile` where its columns are scattered, or too few for its vectors.
template <class Fold>
HWY_NOINLINE void write_scattered_folds(const element_type* tile, int width, int rows,
                                        const extremum_tile<element_type>& out) {
    for (int i = 0; i < rows; ++i) {
        element_type* const c = out.c + out.rows[i];
        for (int j = 0; j < out.column_count; j += lane_count) {
            const element_type* const row = tile + i * width + j;
            const int count = HWY_MIN(lane_count, out.column_count - j);
            if (out.column_runs[j] >= count) {
                element_type* const to = c + out.columns[j];
                hn::Vec<full_tag> best = hn::LoadU(full_tag(), row);
                if (out.joins) best = join_all<Fold>(load_any(to, 1, count), best);
                store_lanes(best, to, 1, count);
                continue;
            }
            for (int x = 0; x < count; ++x) {
                element_type& to = c[out.columns[j + x]];
                if (!out.joins || takes_over<Fold>(row[x], to)) to = row[x];
            }
        }
    }
}

/// Whether columns are as many as all vectors hold, and those of each vector adjacent.
template <int vectors>
HWY_INLINE bool has_whole_vectors(const extremum_tile<element_type>& out) {
    if (out.column_count != vectors * lane_count) return false;
    for (int v = 0; v < vectors; ++v)
        if (out.column_runs[v * lane_count] < lane_count) return false;
    return true;
}

template <class Fold, int rows, int vectors>
void extremum_of_tile(std::int64_t depth, const element_type* a, const element_type* b,
                      std::int64_t b_step, const extremum_tile<element_type>& out) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    stored_vector best[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) best[i][v] = hn::Set(d, Fold::none);
    }
    fold_depth<Fold>(depth, a, b, b_step, best);
    if (HWY_LIKELY(has_whole_vectors<vectors>(out))) {
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                element_type* const to = out.c + out.rows[i] + out.columns[v * lane_count];
                vector value = best[i][v];
                if (out.joins) value = join_all<Fold>(vector(hn::LoadU(d, to)), value);
                hn::StoreU(value, d, to);
            }
        }
        return;
    }
    constexpr int width = vectors * lane_count;
    HWY_ALIGN element_type tile[rows * width];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v)
            hn::Store(vector(best[i][v]), d, tile + i * width + v * lane_count);
    }
    write_scattered_folds<Fold>(tile, width, rows, out);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
