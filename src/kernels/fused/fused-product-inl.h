// Products of fused groups in Highway: a block of the result in registers, its row indices in the
// lanes. The including file defines RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_PRODUCT_INL_H
#undef RICCI_KERNELS_FUSED_PRODUCT_INL_H
#else
#define RICCI_KERNELS_FUSED_PRODUCT_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/fused/fused.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using number = RICCI_FUSED_TYPE;
using tag = hn::ScalableTag<number>;
using vector = hn::Vec<tag>;

constexpr std::int64_t lane_count = HWY_LANES(number);

// 32 registers hold 8 x 3 or 6 x 4 accumulators, 16 hold 6 x 2: a tile is as wide as two blocks
// then, so that all that is read for one of them serves the other, and sums over the rows are
// longer.
constexpr int most_vectors = 4;
#if HWY_TARGET <= HWY_AVX3
constexpr int tile_vectors = 3;
constexpr int block_vectors = 4;
#else
constexpr int tile_vectors = 4;
constexpr int block_vectors = 2;
#endif

/// Rows of a block as wide as `vectors`.
constexpr int block_rows(int vectors) { return HWY_TARGET <= HWY_AVX3 && vectors <= 3 ? 8 : 6; }

/// What is summed of each pair: A B, (A - B)^2, or this with a weight: of the step, or also of the
/// row or the lane.
enum class term {
    product,
    squared_difference,
    weighted_difference,
    row_weighted_difference,
    lane_weighted_difference,
};
constexpr bool has_weights(term of) { return of >= term::weighted_difference; }

/// How the elements of A lie that one step of a block reads, and those of the next step.
enum class access { lines, adjacent, strided };  // a_step is 1, a_row is 1, or neither

// Elements in a line of memory.
constexpr std::int64_t line_elements = 64 / static_cast<std::int64_t>(sizeof(number));

// C at the end: what it has is added to the sums or not. The block's lanes begin with vector
// `first_vector`, and its rows lie `apart` rows of C from each other.
template <int rows, int vectors, int first_vector = 0>
HWY_INLINE void write_block(const lane_product<number>& p, std::int64_t first,
                            stored<vector> (&sum)[rows][vectors], std::int64_t apart = 1) {
    const tag d;
    // Copies: a vector that is stored might be a part of p, as far as the compiler knows.
    const std::int64_t c_row = p.c_row * apart;
    constexpr std::int64_t lanes = first_vector * lane_count;
    const number* HWY_RESTRICT scale = p.scale == nullptr ? nullptr : p.scale + lanes;
    number* HWY_RESTRICT maximum = p.maximum == nullptr ? nullptr : p.maximum + lanes;
    number* HWY_RESTRICT c = p.c + first * p.c_row + lanes;
    if (p.mode == product_mode::rescale) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const vector factor = hn::LoadU(d, scale + v * lane_count);
            RICCI_UNROLL
            for (int r = 0; r < rows; ++r) {
                const vector old = hn::LoadU(d, c + r * c_row + v * lane_count);
                sum[r][v] = hn::MulAdd(old, factor, sum[r][v]);
            }
        }
    } else if (p.mode == product_mode::add) {
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const vector old = hn::LoadU(d, c + r * c_row + v * lane_count);
                sum[r][v] = hn::Add(old, sum[r][v]);
            }
        }
    }
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) hn::StoreU(sum[r][v], d, c + r * c_row + v * lane_count);
    }
    if (maximum == nullptr) return;
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) {
        vector most = hn::LoadU(d, maximum + v * lane_count);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) most = hn::Max(sum[r][v], most);
        hn::StoreU(most, d, maximum + v * lane_count);
    }
}

// One step of a block: a column of A by a row of B. The first one needs no zeros to begin with.
template <term of, bool is_first, int rows, int vectors, class Element>
HWY_INLINE void accumulate(stored<vector> (&sum)[rows][vectors], const number* HWY_RESTRICT b,
                           Element element, const number* weight,
                           [[maybe_unused]] std::int64_t weight_row = 0) {
    const tag d;
    const vector weighted = of == term::weighted_difference ? hn::Set(d, *weight) : hn::Zero(d);
    [[maybe_unused]] const auto weight_of = [&](int r, int v) RICCI_INLINE_LAMBDA {
        if constexpr (of == term::row_weighted_difference)
            return hn::Set(d, weight[r * weight_row]);
        else if constexpr (of == term::lane_weighted_difference)
            return hn::LoadU(d, weight + v * lane_count);
        else return weighted;
    };
    stored<vector> right[vectors];
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        const vector left = hn::Set(d, element(r));
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const vector second =
                of == term::product ? vector(right[v]) : hn::Sub(left, vector(right[v]));
            const vector first = of == term::product ? left
                                 : of == term::squared_difference
                                     ? second
                                     : hn::Mul(second, weight_of(r, v));
            sum[r][v] =
                is_first ? hn::Mul(first, second) : hn::MulAdd(first, second, vector(sum[r][v]));
        }
    }
}

// A block of C in registers. Accumulation starts at 0 in every mode: what C has is added at the
// end, which rounds less than one long chain of sums. Addresses need little arithmetic between the
// steps: counting takes the places of multiplications otherwise.
template <term of, access how, int rows, int vectors, int first_vector = 0>
HWY_INLINE void multiply_block(const lane_product<number>& p, std::int64_t first) {
    stored<vector> sum[rows][vectors];
    const std::int64_t row = p.a_row, step = p.a_step, b_step = p.b_step, depth = p.depth;
    const number* HWY_RESTRICT a = p.a + first * row;
    const number* HWY_RESTRICT b = p.b + first_vector * lane_count;
    // Products have none, and look at no address of them.
    const number* HWY_RESTRICT w = !has_weights(of) ? b
                                   : of == term::lane_weighted_difference
                                       ? p.weights + first_vector * lane_count
                                       : p.weights + first * p.weight_row;
    std::int64_t k = 1;
    if constexpr (how == access::lines) {
        const number* line[rows];
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) line[r] = a + r * row;
        const auto at = [&](std::int64_t at_k) RICCI_INLINE_LAMBDA {
            return [&line, at_k](int r) RICCI_INLINE_LAMBDA { return line[r][at_k]; };
        };
        accumulate<of, true, rows, vectors>(sum, b, at(0), w);
        b += b_step;
        // A plain loop is faster, where there is nothing to ask for.
        if (p.ahead == 0)
            for (; k < depth; ++k, b += b_step)
                accumulate<of, false, rows, vectors>(sum, b, at(k), w + k);
        while (k < depth) {
            // All of a later tile is asked for meanwhile, each line once.
            RICCI_UNROLL
            for (int r = 0; r < rows; ++r) __builtin_prefetch(line[r] + (k + p.ahead), 0, 2);
            const std::int64_t end = depth - k < line_elements ? depth : k + line_elements;
            for (; k < end; ++k, b += b_step)
                accumulate<of, false, rows, vectors>(sum, b, at(k), w + k);
        }
    } else if constexpr (how == access::adjacent) {
        // Blocks that share a line ask for every other one.
        constexpr bool shared = rows * sizeof(number) < 64;
        const std::int64_t ahead = p.ahead + (shared ? first / rows % 2 * step : 0);
        const auto at = [](const number* from) RICCI_INLINE_LAMBDA {
            return [from](int r) RICCI_INLINE_LAMBDA { return from[r]; };
        };
        accumulate<of, true, rows, vectors>(sum, b, at(a), w);
        a += step;
        b += b_step;
        for (; k + 2 <= depth; k += 2, a += 2 * step, b += 2 * b_step) {
            __builtin_prefetch(a + ahead, 0, 2);
            if constexpr (!shared) __builtin_prefetch(a + step + ahead, 0, 2);
            accumulate<of, false, rows, vectors>(sum, b, at(a), w + k);
            accumulate<of, false, rows, vectors>(sum, b + b_step, at(a + step), w + k + 1);
        }
        if (k < depth) accumulate<of, false, rows, vectors>(sum, b, at(a), w + k);
    } else {
        const auto at = [row](const number* from) RICCI_INLINE_LAMBDA {
            return [from, row](int r) RICCI_INLINE_LAMBDA { return from[r * row]; };
        };
        const std::int64_t weight_row = p.weight_row;
        const std::int64_t w_step = of == term::weighted_difference ? 1 : p.weight_step;
        accumulate<of, true, rows, vectors>(sum, b, at(a), w, weight_row);
        for (; k < depth; ++k)
            accumulate<of, false, rows, vectors>(sum, b += b_step, at(a += step), w + k * w_step,
                                                 weight_row);
    }
    write_block<rows, vectors, first_vector>(p, first, sum);
}

// Rows of C as wide as the lanes: one block or two.
template <term of, access how, int rows, int vectors>
HWY_INLINE void multiply_rows(const lane_product<number>& p, std::int64_t first) {
    constexpr int here = HWY_MIN(vectors, block_vectors);
    multiply_block<of, how, rows, here>(p, first);
    if constexpr (vectors > here) multiply_block<of, how, rows, vectors - here, here>(p, first);
}

template <term of, int rows, int vectors>
void multiply_rest(const lane_product<number>& p, std::int64_t first) {
    if constexpr (rows > 0) {
        if (p.rows - first == rows) {
            multiply_rows<of, access::strided, rows, vectors>(p, first);
        } else {
            multiply_rest<of, rows - 1, vectors>(p, first);
        }
    }
}

template <term of, access how, int vectors>
void multiply_blocks(const lane_product<number>& p) {
    constexpr int rows = block_rows(vectors);
    std::int64_t first = 0;
    for (; first + rows <= p.rows; first += rows) multiply_rows<of, how, rows, vectors>(p, first);
    multiply_rest<of, rows - 1, vectors>(p, first);
}

template <int vectors, term of = term::product>
void multiply(const lane_product<number>& p) {
    // Weights of rows or lanes are read at other steps than A.
    if constexpr (of > term::weighted_difference)
        return multiply_blocks<of, access::strided, vectors>(p);
    if (p.a_step == 1) return multiply_blocks<of, access::lines, vectors>(p);
    if (p.a_row == 1) return multiply_blocks<of, access::adjacent, vectors>(p);
    multiply_blocks<of, access::strided, vectors>(p);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
