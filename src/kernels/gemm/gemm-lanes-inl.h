// Products of a vector of batches in Highway, compiled once for every SIMD target: every lane holds
// a batch of its own, so nothing is broadcast.
#if defined(RICCI_KERNELS_GEMM_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_LANES_INL_H
#undef RICCI_KERNELS_GEMM_LANES_INL_H
#else
#define RICCI_KERNELS_GEMM_LANES_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Accumulators for 32 registers, or for 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int lane_tile_rows = 4;
inline constexpr int lane_tile_columns = 6;
#else
inline constexpr int lane_tile_rows = 3;
inline constexpr int lane_tile_columns = 3;
#endif
inline constexpr int narrow_lane_columns = 3;

// Writes batches that are scattered, or that are not a whole vector.
template <class T>
HWY_NOINLINE void write_few_lanes(const T* product, const lane_tile<T>& out, T* c) {
    for (int l = 0; l < out.lanes; ++l, c += out.step)
        *c = out.beta == 0 ? product[l] : product[l] + out.beta * *c;
}

template <class T, int rows, int columns>
void multiply_lanes(std::int64_t depth, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                    const lane_tile<T>& out) {
    constexpr int lanes = static_cast<int>(HWY_LANES(T));
    const hn::ScalableTag<T> d;
    using vector = hn::Vec<hn::ScalableTag<T>>;
    // x * y + z; whole numbers have no fused form.
    const auto multiply_and_add = [](vector x, vector y, vector z) HWY_ATTR RICCI_INLINE_LAMBDA {
        if constexpr (hwy::IsFloat<T>()) return hn::MulAdd(x, y, z);
        else return hn::Add(hn::Mul(x, y), z);
    };
    stored<vector> sum[rows][columns];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) sum[i][j] = hn::Zero(d);
    }
    for (std::int64_t k = 0; k < depth; ++k) {
        stored<vector> right[columns];
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) right[j] = hn::LoadU(d, b + j * lanes);
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            const vector left = hn::LoadU(d, a + i * lanes);
            RICCI_UNROLL
            for (int j = 0; j < columns; ++j)
                sum[i][j] = multiply_and_add(left, right[j], sum[i][j]);
        }
        a += rows * lanes;
        b += columns * lanes;
    }
    const vector alpha = hn::Set(d, out.alpha);
    const vector beta = hn::Set(d, out.beta);
    const bool whole = out.step == 1 && out.lanes == lanes;
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) {
            const vector product = hn::Mul(alpha, sum[i][j]);
            if (j >= out.column_count) continue;
            T* c = out.origin + out.rows[i] + out.columns[j];
            if (!whole) {
                HWY_ALIGN T each[lanes];
                hn::Store(product, d, each);
                write_few_lanes(each, out, c);
            } else if (out.beta == 0) {
                hn::StoreU(product, d, c);
            } else {
                hn::StoreU(multiply_and_add(beta, hn::LoadU(d, c), product), d, c);
            }
        }
    }
}

template <class T>
void pack_lanes(const lane_source<T>& from, T* to, int padded) {
    constexpr int lanes = static_cast<int>(HWY_LANES(T));
    const hn::ScalableTag<T> d;
    const std::int64_t pitch_of_k = std::int64_t{padded} * lanes;
    if (from.step == 1 && from.lanes == lanes) {
        for (std::int64_t k = 0; k < from.depth; ++k) {
            const T* at = from.origin + from.along[k];
            // The hardware follows no lines that are far apart.
            const T* next = from.origin + from.along[HWY_MIN(k + 8, from.depth - 1)];
            for (int x = 0; x < from.width; ++x) {
                hwy::Prefetch(next + from.across[x]);
                hn::StoreU(hn::LoadU(d, at + from.across[x]), d, to + x * lanes);
            }
            to += pitch_of_k;
        }
        return;
    }
    for (int x = 0; x < from.width; ++x) {
        const T* at = from.origin + from.across[x];
        T* line = to + x * lanes;
        for (std::int64_t k = 0; k < from.depth; ++k) {
            for (int l = 0; l < lanes; ++l)
                line[l] = l < from.lanes ? at[from.along[k] + l * from.step] : T{0};
            line += pitch_of_k;
        }
    }
}

template <int rows, class T>
void add_lane_tiles(kernel_table<T>& table) {
    table.multiply_lanes[rows - 1][0] = &multiply_lanes<T, rows, narrow_lane_columns>;
    table.multiply_lanes[rows - 1][1] = &multiply_lanes<T, rows, lane_tile_columns>;
    if constexpr (rows > 1) add_lane_tiles<rows - 1>(table);
}

template <class T>
void add_lane_kernels(kernel_table<T>& table) {
    add_lane_tiles<lane_tile_rows>(table);
    table.lane_rows = lane_tile_rows;
    table.lane_columns = lane_tile_columns;
    table.narrow_lane_columns = narrow_lane_columns;
    table.pack_lanes_a = table.pack_lanes_b = &pack_lanes<T>;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
