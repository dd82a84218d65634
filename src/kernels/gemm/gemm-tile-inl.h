// A tile of a product in Highway for every SIMD target: sums over all k in registers, then written
// to C. The caller says where rows of A are read. The including file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_TILE_INL_H
#undef RICCI_KERNELS_GEMM_TILE_INL_H
#else
#define RICCI_KERNELS_GEMM_TILE_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/prefetch-ahead-inl.h"
#include "src/kernels/gemm/gemm-element-inl.h"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/unroll-depth-inl.h"
#include "src/kernels/gemm/vector-products-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Whole numbers of 64 bits are multiplied in halves where there is no instruction for it. Sums of
// the products of low halves and sums of the crossed ones are then kept apart: two multiplications
// and two additions for each product, rather than three of either and shifts.
#if HWY_TARGET > HWY_AVX3 && HWY_TARGET <= HWY_SSE4
constexpr bool in_halves = sizeof(element_type) == 8 && !hwy::IsFloat<element_type>();
#else
constexpr bool in_halves = false;
#endif

// 32 registers hold 8 x 3 accumulators, 16 hold 6 x 2, or 6 x 1 in two parts each.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;
#else
constexpr int tile_rows = 6;
constexpr int tile_vectors = in_halves ? 1 : 2;
#endif

// The same accumulators in another shape, which reads less where there are columns for it.
constexpr int wide_rows = tile_rows == 8 ? 6 : 0;
constexpr int rows_of(int vectors) {
    return vectors <= tile_vectors ? tile_rows : vectors == tile_vectors + 1 ? wide_rows : 0;
}

// The vectors of the scalar target have no halves.
#if HWY_TARGET != HWY_SCALAR
// Exchanges the halves of every 64-bit element.
template <class V>
HWY_INLINE V turn_halves(V x) {
    const hn::DFromV<V> d;
    const hn::RepartitionToNarrow<hn::DFromV<V>> d_half;
    return hn::BitCast(d, hn::Shuffle2301(hn::BitCast(d_half, x)));
}

// Adds x * y to a sum in two parts; `turned` is y with its halves exchanged.
template <class V>
HWY_INLINE void add_in_halves(V x, V y, V turned, V& sum, V& crossed) {
    const hn::DFromV<V> d;
    const hn::RepartitionToNarrow<hn::DFromV<V>> d_half;
    const auto halves = hn::BitCast(d_half, x);
    sum = hn::Add(sum, hn::MulEven(halves, hn::BitCast(d_half, y)));
    const auto products = hn::Mul(halves, hn::BitCast(d_half, turned));
    crossed = hn::BitCast(d, hn::Add(hn::BitCast(d_half, crossed), products));
}

// The sum of both parts: what crosses counts 2^32 times, and what overflows is lost as it should
// be.
template <class V>
HWY_INLINE void join_halves(V& sum, V crossed) {
    sum = hn::Add(sum, hn::ShiftLeft<32>(hn::Add(crossed, hn::ShiftRight<32>(crossed))));
}
#else
template <class V>
V turn_halves(V x);
template <class V>
void add_in_halves(V x, V y, V turned, V& sum, V& crossed);
template <class V>
void join_halves(V& sum, V crossed);
#endif

// Adds `count` adjacent elements of a row of a finished tile to C.
HWY_INLINE void write_run(const element_type* product, element_type beta, element_type* c,
                          int count) {
#if !HWY_MEM_OPS_MIGHT_FAULT
    const full_tag d;
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
    const auto value = hn::LoadU(d, product);
    const auto old = beta == 0 ? hn::Zero(d) : hn::MaskedLoad(mask, d, c);
    hn::BlendedStore(product_and_sum(d, hn::Set(d, beta), old, value), mask, d, c);
#else
    for (int j = 0; j < count; ++j) c[j] = beta == 0 ? product[j] : product[j] + beta * c[j];
#endif
}

// Writes a tile that lies in `tile`, `width` elements a row, when its columns may be scattered or
// may not fill their vectors: runs of adjacent columns, each for all rows.
HWY_NOINLINE void write_scattered(const element_type* tile, int width, int rows,
                                  const output_tile<element_type>& out) {
    for (int first = 0; first < out.column_count;) {
        int count = 1;
        while (count < lane_count && first + count < out.column_count &&
               out.columns[first + count] - out.columns[first + count - 1] == 1) {
            ++count;
        }
        element_type* column = out.origin + out.columns[first];
        const element_type* product = tile + first;
        if (count == 1) {
            for (int i = 0; i < rows; ++i) {
                element_type* c = column + out.rows[i];
                *c = out.beta == 0 ? product[i * width] : product[i * width] + out.beta * *c;
            }
        } else {
            for (int i = 0; i < rows; ++i) {
                write_run(product + i * width, out.beta, column + out.rows[i], count);
            }
        }
        first += count;
    }
}

#if !HWY_MEM_OPS_MIGHT_FAULT
// Writes lanes [first, end) of a vector in each row, whose columns are adjacent in memory.
HWY_INLINE void write_lanes(const element_type* tile, int width, int rows, int first, int end,
                            element_type* column, const output_tile<element_type>& out) {
    const full_tag d;
    const auto mask = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(first)),
                                 hn::FirstN(d, static_cast<std::size_t>(end)));
    const auto beta = hn::Set(d, out.beta);
    for (int i = 0; i < rows; ++i, tile += width) {
        element_type* const c = column + out.rows[i];
        const auto value = hn::Load(d, tile);
        if (out.beta == 0) {
            hn::BlendedStore(value, mask, d, c);
        } else {
            const auto old = hn::MaskedLoad(mask, d, c);
            hn::BlendedStore(product_and_sum(d, beta, old, value), mask, d, c);
        }
    }
}

// Writes a tile that lies in `tile`, whose vectors are one or two runs in memory. For tiles of all
// shapes, as columns at the edge of C are few: written out for each shape, this would be most of
// what the kernels take to compile.
HWY_NOINLINE void write_runs(const element_type* tile, int vectors, int rows,
                             const output_tile<element_type>& out) {
    const full_tag d;
    const int width = vectors * lane_count;
    for (int v = 0; v < vectors; ++v, tile += lane_count) {
        const std::int64_t* const columns = out.columns + v * lane_count;
        const int count = HWY_MIN(lane_count, out.column_count - v * lane_count);
        if (((out.adjacent >> v) & 1u) == 0) {
            const int split = out.split[v];
            write_lanes(tile, width, rows, 0, split, out.origin + columns[0], out);
            write_lanes(tile, width, rows, split, count, out.origin + (columns[split] - split),
                        out);
        } else if (count == lane_count && out.beta == 0) {
            for (int i = 0; i < rows; ++i)
                hn::StoreU(hn::Load(d, tile + i * width), d, out.origin + columns[0] + out.rows[i]);
        } else {
            write_lanes(tile, width, rows, 0, count, out.origin + columns[0], out);
        }
    }
}
#endif

// Adds the tile to C, or replaces C when beta is 0.
template <int rows, int vectors, class V>
HWY_INLINE void write_tile(const V (&sum)[rows][vectors], const output_tile<element_type>& out) {
    const full_tag d;
    const V alpha = hn::Set(d, out.alpha);
    constexpr unsigned every_vector = (1u << vectors) - 1;
    if ((out.adjacent & every_vector) == every_vector && out.column_count == vectors * lane_count) {
        element_type* columns[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) columns[v] = out.origin + out.columns[v * lane_count];
        if (out.stream && out.beta == 0) {
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    hn::Stream(hn::Mul(alpha, sum[i][v]), d, columns[v] + row);
                }
            }
        } else if (out.beta == 0) {
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    hn::StoreU(hn::Mul(alpha, sum[i][v]), d, columns[v] + row);
                }
            }
        } else {
            const V beta = hn::Set(d, out.beta);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const std::int64_t row = out.rows[i];
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) {
                    const V old = hn::Mul(beta, hn::LoadU(d, columns[v] + row));
                    hn::StoreU(product_and_sum(d, alpha, sum[i][v], old), d, columns[v] + row);
                }
            }
        }
        return;
    }
    // A run may be read a whole vector wide.
    HWY_ALIGN element_type tile[(rows * vectors + 1) * lane_count];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            hn::Store(hn::Mul(alpha, sum[i][v]), d, tile + (i * vectors + v) * lane_count);
        }
    }
    hn::Store(hn::Zero(d), d, tile + rows * vectors * lane_count);
#if !HWY_MEM_OPS_MIGHT_FAULT
    if (((out.adjacent | out.halves) & every_vector) == every_vector) {
        write_runs(tile, vectors, rows, out);
        return;
    }
#endif
    write_scattered(tile, vectors * lane_count, rows, out);
}

// Lines to come are asked for at once for so many steps, where those are written out.
constexpr std::int64_t depth_chunk = 16;

// `left(i)` gives row i of A for the current k, `advance()` goes on to the next k. `ahead`: of
// row_panel, where `asks` is set.
template <int rows, int vectors, bool asks, class Left, class Advance>
HWY_INLINE void multiply_tile(std::int64_t depth, Left left, Advance advance,
                              [[maybe_unused]] std::int64_t ahead,
                              const element_type* HWY_RESTRICT b, std::int64_t b_step,
                              const output_tile<element_type>& out) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    stored<vector> sum[rows][vectors];
    [[maybe_unused]] stored<vector> crossed[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            sum[i][v] = hn::Zero(d);
            if constexpr (in_halves) crossed[i][v] = hn::Zero(d);
        }
    }
    const auto step = [&]() HWY_ATTR RICCI_INLINE_LAMBDA {
        stored<vector> right[vectors];
        [[maybe_unused]] stored<vector> turned[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            right[v] = hn::LoadU(d, b + v * lane_count);
            if constexpr (in_halves) turned[v] = turn_halves(right[v]);
        }
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            const vector one = hn::Set(d, *left(i));
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                if constexpr (in_halves)
                    add_in_halves(one, right[v], turned[v], sum[i][v], crossed[i][v]);
                else sum[i][v] = product_and_sum(d, one, right[v], sum[i][v]);
            }
        }
        advance();
        b += b_step;
    };
    line_asker<element_type> asker(out.next);
    std::int64_t steps = steps_before_output(out, depth);
    if constexpr (asks) {
        constexpr std::int64_t line_elements = 64 / sizeof(element_type);
        const std::int64_t late =
            (depth - HWY_MIN(depth, prefetch_steps)) / line_elements * line_elements;
        for (std::int64_t k = 0; k < depth; k += line_elements) {
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) hwy::Prefetch(left(i) + ahead);
            if (out.prefetch && k == late) prefetch_output<rows, vectors, lane_count>(out);
            const std::int64_t end = HWY_MIN(depth - k, line_elements);
            RICCI_UNROLL_DEPTH
            for (std::int64_t j = 0; j < end; ++j) step();
        }
        steps = 0;
    }
    for (int part = asks ? 2 : 0; part < 2; ++part) {
#if RICCI_UNROLLS_DEPTH
        for (std::int64_t k = 0; k < steps; k += depth_chunk) {
            const std::int64_t end = HWY_MIN(steps - k, depth_chunk);
            asker.ask(end);
            RICCI_UNROLL_DEPTH
            for (std::int64_t j = 0; j < end; ++j) step();
        }
#else
        for (std::int64_t k = 0; k < steps; ++k) {
            step();
            asker.ask();
        }
#endif
        if (part == 0 && out.prefetch) prefetch_output<rows, vectors, lane_count>(out);
        steps = depth - steps;
    }
    if constexpr (in_halves) {
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) join_halves(sum[i][v], crossed[i][v]);
        }
    }
    write_tile<rows, vectors>(sum, out);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
