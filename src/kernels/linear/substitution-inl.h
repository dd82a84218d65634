// Substitution in a packed triangle for panels of right-hand sides, in Highway: a product with
// what is solved already, and a small triangle in registers. The including file defines
// RICCI_LINEAR_TYPE.
#if defined(RICCI_KERNELS_LINEAR_SUBSTITUTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINEAR_SUBSTITUTION_INL_H
#undef RICCI_KERNELS_LINEAR_SUBSTITUTION_INL_H
#else
#define RICCI_KERNELS_LINEAR_SUBSTITUTION_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/linear/columns-inl.h"
#include "src/kernels/linear/linear.hpp"
#include "src/kernels/linear/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// Accumulators for 32 registers, or for 16; a complex number takes two.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int block_rows = has_imaginary ? 4 : 8;
#else
constexpr int block_rows = has_imaginary ? 2 : 4;
#endif
constexpr int panel_vectors = has_imaginary ? 2 : 3;

template <int vectors>
void substitute(const packed_triangle<number>& triangle, part* HWY_RESTRICT panel) {
    constexpr std::int64_t width = vectors * lane_count, pitch = width * parts<number>;
    const number* HWY_RESTRICT t = triangle.numbers;
    for (std::int64_t row = 0; row < triangle.rows; row += block_rows) {
        part* const here = panel + row * pitch;
        numbers sum[block_rows][vectors];
        RICCI_UNROLL
        for (int i = 0; i < block_rows; ++i) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                sum[i][v] = load_apart(here + i * pitch + v * lane_count, width);
        }
        const part* solved = panel;
        for (std::int64_t k = 0; k < row; ++k, solved += pitch, t += block_rows) {
            numbers x[vectors];
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) x[v] = load_apart(solved + v * lane_count, width);
            RICCI_UNROLL
            for (int i = 0; i < block_rows; ++i) {
                const numbers factor = broadcast(t[i]);
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v)
                    sum[i][v] = subtract_product(sum[i][v], factor, x[v]);
            }
        }
        RICCI_UNROLL
        for (int i = 0; i < block_rows; ++i) {
            if (!triangle.unit) {
                const divisor<number>& by = triangle.divisors[row + i];
                const numbers reciprocal = broadcast(by.reciprocal);
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) sum[i][v] = multiply(sum[i][v], reciprocal);
                if (triangle.scaled) {
                    const part_vector factor = hn::Set(part_tag(), by.scale);
                    RICCI_UNROLL
                    for (int v = 0; v < vectors; ++v) sum[i][v] = scale(sum[i][v], factor);
                }
            }
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                store_apart(sum[i][v], here + i * pitch + v * lane_count, width);
            RICCI_UNROLL
            for (int below = i + 1; below < block_rows; ++below) {
                const numbers factor = broadcast(t[below]);
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v)
                    sum[below][v] = subtract_product(sum[below][v], factor, sum[i][v]);
            }
            t += block_rows;
        }
    }
}

void read_panel(std::int64_t rows, std::int64_t count, const number* from, std::int64_t step,
                part* panel, std::int64_t width) {
    for (std::int64_t i = 0; i < rows; ++i, from += step, panel += width * parts<number>) {
        std::int64_t j = 0;
        for (; j + lane_count <= count; j += lane_count)
            store_apart(load(from + j), panel + j, width);
        if (j == width) continue;
        HWY_ALIGN number each[lane_count] = {};
        std::copy(from + j, from + count, each);
        store_apart(load(each), panel + j, width);
        std::fill(each, each + lane_count, number{});
        for (j += lane_count; j < width; j += lane_count) store_apart(load(each), panel + j, width);
    }
}

void write_panel(std::int64_t rows, std::int64_t count, const part* panel, std::int64_t width,
                 number* to, std::int64_t step) {
    for (std::int64_t i = 0; i < rows; ++i, to += step, panel += width * parts<number>) {
        std::int64_t j = 0;
        for (; j + lane_count <= count; j += lane_count)
            store(load_apart(panel + j, width), to + j);
        if (j < count) store_few(load_apart(panel + j, width), count - j, to + j);
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
