// Products of streamed groups in Highway: a block of the result in registers, its row indices in the
// lanes. The including file defines RICCI_STREAM_TYPE.
#if defined(RICCI_KERNELS_STREAM_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_STREAM_PRODUCT_INL_H
#undef RICCI_KERNELS_STREAM_PRODUCT_INL_H
#else
#define RICCI_KERNELS_STREAM_PRODUCT_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/stream.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using number = RICCI_STREAM_TYPE;
using tag = hn::ScalableTag<number>;
using vector = hn::Vec<tag>;

constexpr std::int64_t lane_count = HWY_LANES(number);

// 32 registers hold 8 x 3 or 6 x 4 accumulators, 16 hold 6 x 2.
#if HWY_TARGET <= HWY_AVX3
constexpr int tile_vectors = 3;
constexpr int most_vectors = 4;
#else
constexpr int tile_vectors = 2;
constexpr int most_vectors = 2;
#endif

/// Rows of a block as wide as `vectors`.
constexpr int block_rows(int vectors) { return HWY_TARGET <= HWY_AVX3 && vectors <= 3 ? 8 : 6; }

/// How the elements of A lie that one step of a block reads, and those of the next step.
enum class access { lines, adjacent, strided };  // a_step is 1, a_row is 1, or neither

// Elements in a line of memory.
constexpr std::int64_t line_elements = 64 / static_cast<std::int64_t>(sizeof(number));

// C at the end: what it has is added to the sums or not.
template <int rows, int vectors>
HWY_INLINE void write_block(const lane_product<number>& p, std::int64_t first,
                            vector (&sum)[rows][vectors]) {
    const tag d;
    number* c = p.c + first * p.c_row;
    if (p.mode == product_mode::rescale) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const vector scale = hn::LoadU(d, p.scale + v * lane_count);
            RICCI_UNROLL
            for (int r = 0; r < rows; ++r) {
                const vector old = hn::LoadU(d, c + r * p.c_row + v * lane_count);
                sum[r][v] = hn::MulAdd(old, scale, sum[r][v]);
            }
        }
    } else if (p.mode == product_mode::add) {
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const vector old = hn::LoadU(d, c + r * p.c_row + v * lane_count);
                sum[r][v] = hn::Add(old, sum[r][v]);
            }
        }
    }
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v)
            hn::StoreU(sum[r][v], d, c + r * p.c_row + v * lane_count);
    }
    if (p.maximum == nullptr) return;
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) {
        vector most = hn::LoadU(d, p.maximum + v * lane_count);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) most = hn::Max(sum[r][v], most);
        hn::StoreU(most, d, p.maximum + v * lane_count);
    }
}

// A block of C in registers. Accumulation starts at 0 in every mode: what C has is added at the end,
// which rounds less than one long chain of sums. Two steps at a time, with addresses that need no
// arithmetic between them: counting takes the places of multiplications otherwise.
template <access how, int rows, int vectors>
HWY_INLINE void multiply_block(const lane_product<number>& p, std::int64_t first) {
    const tag d;
    vector sum[rows][vectors];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(d);
    }
    const std::int64_t step = p.a_step, b_step = p.b_step, depth = p.depth, ahead = p.ahead;
    const number* line[rows];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) line[r] = p.a + (first + r) * p.a_row;
    const number* HWY_RESTRICT b = p.b;
    const auto accumulate = [&](const number* from, auto element) HWY_ATTR RICCI_INLINE_LAMBDA {
        vector right[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, from + v * lane_count);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            const vector left = hn::Set(d, element(r));
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
        }
    };
    if constexpr (how == access::lines) {
        for (std::int64_t k = 0; k < depth;) {
            // All of a later tile is asked for, each line once.
            if (ahead != 0) {
                RICCI_UNROLL
                for (int r = 0; r < rows; ++r) __builtin_prefetch(line[r] + (k + ahead), 0, 2);
            }
            const std::int64_t end = depth - k < line_elements ? depth : k + line_elements;
            for (; k + 2 <= end; k += 2, b += 2 * b_step) {
                accumulate(b, [&](int r) RICCI_INLINE_LAMBDA { return line[r][k]; });
                accumulate(b + b_step, [&](int r) RICCI_INLINE_LAMBDA { return line[r][k + 1]; });
            }
            if (k < end) {
                accumulate(b, [&](int r) RICCI_INLINE_LAMBDA { return line[r][k]; });
                ++k;
                b += b_step;
            }
        }
    } else if constexpr (how == access::adjacent) {
        const number* a = line[0];
        // Blocks that share a line ask for every other one.
        constexpr bool shared = rows * sizeof(number) < 64;
        const number* later = a + ahead + (shared ? first / rows % 2 * step : 0);
        std::int64_t k = 0;
        for (; k + 2 <= depth; k += 2, a += 2 * step, b += 2 * b_step, later += 2 * step) {
            __builtin_prefetch(later, 0, 2);
            if constexpr (!shared) __builtin_prefetch(later + step, 0, 2);
            accumulate(b, [&](int r) RICCI_INLINE_LAMBDA { return a[r]; });
            accumulate(b + b_step, [&](int r) RICCI_INLINE_LAMBDA { return a[step + r]; });
        }
        if (k < depth) accumulate(b, [&](int r) RICCI_INLINE_LAMBDA { return a[r]; });
    } else {
        std::int64_t at = 0;
        for (std::int64_t k = 0; k < depth; ++k, at += step, b += b_step)
            accumulate(b, [&](int r) RICCI_INLINE_LAMBDA { return line[r][at]; });
    }
    write_block(p, first, sum);
}

template <int rows, int vectors>
void multiply_rest(const lane_product<number>& p, std::int64_t first) {
    if constexpr (rows > 0) {
        if (p.rows - first == rows) {
            multiply_block<access::strided, rows, vectors>(p, first);
        } else {
            multiply_rest<rows - 1, vectors>(p, first);
        }
    }
}

template <access how, int vectors>
void multiply_blocks(const lane_product<number>& p) {
    constexpr int rows = block_rows(vectors);
    std::int64_t first = 0;
    for (; first + rows <= p.rows; first += rows) multiply_block<how, rows, vectors>(p, first);
    multiply_rest<rows - 1, vectors>(p, first);
}

template <int vectors>
void multiply(const lane_product<number>& p) {
    if (p.a_step == 1) return multiply_blocks<access::lines, vectors>(p);
    if (p.a_row == 1) return multiply_blocks<access::adjacent, vectors>(p);
    multiply_blocks<access::strided, vectors>(p);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
