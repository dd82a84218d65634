// Micro-kernels and packing in Highway, compiled once for every SIMD target; no threads, no blocking.
// The including file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_INL_H
#undef RICCI_KERNELS_GEMM_INL_H
#else
#define RICCI_KERNELS_GEMM_INL_H
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/gemm.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using element_type = RICCI_GEMM_TYPE;
using full_tag = hn::ScalableTag<element_type>;

constexpr int lane_count = static_cast<int>(HWY_LANES(element_type));

// 32 registers hold 8 x 3 accumulators, 16 hold 6 x 2.
#if HWY_TARGET <= HWY_AVX3
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;
#else
constexpr int tile_rows = 6;
constexpr int tile_vectors = 2;
#endif

// Writes vector v of a row of C when its columns may be scattered or may not fill the vector.
template <class V>
HWY_NOINLINE void write_part(V product, const output_tile<element_type>& out, element_type* row,
                             int v) {
    const full_tag d;
    const int first = v * lane_count;
    const int count = HWY_MIN(lane_count, out.column_count - first);
    const bool adjacent = ((out.adjacent >> v) & 1u) != 0;
    if (adjacent && count == lane_count) {
        element_type* c = row + out.columns[first];
        const auto old = out.beta == 0 ? hn::Zero(d) : hn::LoadU(d, c);
        hn::StoreU(hn::MulAdd(hn::Set(d, out.beta), old, product), d, c);
        return;
    }
#if !HWY_MEM_OPS_MIGHT_FAULT
    if (adjacent) {
        element_type* c = row + out.columns[first];
        const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
        const auto old = out.beta == 0 ? hn::Zero(d) : hn::MaskedLoad(mask, d, c);
        hn::BlendedStore(hn::MulAdd(hn::Set(d, out.beta), old, product), mask, d, c);
        return;
    }
#endif
    HWY_ALIGN element_type lanes[lane_count];
    hn::Store(product, d, lanes);
    for (int j = 0; j < count; ++j) {
        element_type* c = row + out.columns[first + j];
        *c = out.beta == 0 ? lanes[j] : lanes[j] + out.beta * *c;
    }
}

constexpr std::int64_t prefetch_steps = 48;

template <int rows, int vectors>
HWY_INLINE void prefetch_output(const output_tile<element_type>& out) {
    for (int v = 0; v <= vectors; ++v) {
        const int j = HWY_MIN(v * lane_count, out.column_count - 1);
        const element_type* column = out.origin + out.columns[j];
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) hwy::Prefetch(column + out.rows[i]);
    }
}

template <int rows, int vectors>
void gemm_tile(std::int64_t depth, const element_type* HWY_RESTRICT a,
               const element_type* HWY_RESTRICT b, std::int64_t b_step,
               const output_tile<element_type>& out) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    vector sum[rows][vectors];

    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[i][v] = hn::Zero(d);
    }
    // C is asked for some steps before it is needed: earlier, the panels would push it out again.
    const element_type* next = out.next;
    const std::int64_t next_step = out.next_step;
    std::int64_t steps = depth > prefetch_steps ? depth - prefetch_steps : 0;
    for (int part = 0; part < 2; ++part) {
        for (std::int64_t k = 0; k < steps; ++k) {
            hwy::Prefetch(next);
            next += next_step;
            vector right[vectors];
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const vector left = hn::Set(d, a[i]);
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v) sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
            }
            a += rows;
            b += b_step;
        }
        if (part == 0) prefetch_output<rows, vectors>(out);
        steps = depth - steps;
    }

    const vector alpha = hn::Set(d, out.alpha);
    const vector beta = hn::Set(d, out.beta);
    constexpr unsigned every_vector = (1u << vectors) - 1;
    if ((out.adjacent & every_vector) == every_vector && out.column_count == vectors * lane_count) {
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            element_type* row = out.origin + out.rows[i];
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                element_type* c = row + out.columns[v * lane_count];
                const vector product = hn::Mul(alpha, sum[i][v]);
                if (out.beta == 0) {
                    hn::StoreU(product, d, c);
                } else {
                    hn::StoreU(hn::MulAdd(beta, hn::LoadU(d, c), product), d, c);
                }
            }
        }
        return;
    }
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            if (v * lane_count < out.column_count) {
                write_part(hn::Mul(alpha, sum[i][v]), out, out.origin + out.rows[i], v);
            }
        }
    }
}

#if HWY_TARGET != HWY_SCALAR

constexpr int block_lanes = static_cast<int>(16 / sizeof(element_type));

// Block b of the result holds the 16 bytes at lines[b * block_lanes] + offset.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const element_type* const* lines, std::int64_t offset) {
    if constexpr (hn::MaxLanes(D()) == static_cast<std::size_t>(block_lanes)) {
        return hn::LoadU(d, lines[0] + offset);
    } else {
        const hn::Half<D> half;
        const auto low = load_blocks(half, lines, offset);
        const auto high = load_blocks(half, lines + hn::MaxLanes(half), offset);
        return hn::Combine(d, high, low);
    }
}

// Reads block_lanes elements of every line and writes them as block_lanes rows.
template <class D>
HWY_INLINE void transpose_block(D d, const element_type* const* lines, std::int64_t offset,
                                element_type* to, std::int64_t step) {
    if constexpr (sizeof(element_type) == 8) {
        const auto even = load_blocks(d, lines, offset);
        const auto odd = load_blocks(d, lines + 1, offset);
        hn::StoreU(hn::InterleaveLower(d, even, odd), d, to);
        hn::StoreU(hn::InterleaveUpper(d, even, odd), d, to + step);
    } else {
        const auto line0 = load_blocks(d, lines, offset);
        const auto line1 = load_blocks(d, lines + 1, offset);
        const auto line2 = load_blocks(d, lines + 2, offset);
        const auto line3 = load_blocks(d, lines + 3, offset);
        const auto low02 = hn::InterleaveLower(d, line0, line2);
        const auto low13 = hn::InterleaveLower(d, line1, line3);
        const auto high02 = hn::InterleaveUpper(d, line0, line2);
        const auto high13 = hn::InterleaveUpper(d, line1, line3);
        hn::StoreU(hn::InterleaveLower(d, low02, low13), d, to);
        hn::StoreU(hn::InterleaveUpper(d, low02, low13), d, to + step);
        hn::StoreU(hn::InterleaveLower(d, high02, high13), d, to + 2 * step);
        hn::StoreU(hn::InterleaveUpper(d, high02, high13), d, to + 3 * step);
    }
}

#endif

// Packs lines x0 .. x0 + width - 1, writing a whole vector of D at every k in rising order: what
// spills past `width` is written over by the next k.
template <class D>
HWY_INLINE void pack_sliver(D d, const pack_source<element_type>& from, int x0, int width,
                            element_type* to, std::int64_t step) {
    constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    if (from.across_run[x0] >= lanes) {
        const element_type* line = from.origin + from.across[x0];
        for (std::int64_t k = 0; k < from.depth; ++k) {
            hn::StoreU(hn::LoadU(d, line + from.along[k]), d, to + k * step);
        }
        return;
    }
    const element_type* lines[lanes];
    for (int x = 0; x < lanes; ++x) {
        lines[x] = from.origin + from.across[x0 + HWY_MIN(x, width - 1)];
    }
    for (std::int64_t k = 0; k < from.depth;) {
        std::int64_t offset = from.along[k];
#if HWY_TARGET != HWY_SCALAR
        if constexpr (lanes >= block_lanes) {
            std::int64_t run = HWY_MIN(from.depth - k, std::int64_t{from.along_run[k]});
            const std::int64_t before = k;
            for (; run >= block_lanes; run -= block_lanes) {
                transpose_block(d, lines, offset, to + k * step, step);
                offset += block_lanes;
                k += block_lanes;
            }
            if (k != before) continue;
        }
#endif
        for (int x = 0; x < lanes; ++x) to[k * step + x] = lines[x][offset];
        ++k;
    }
}

void pack_scalar(const pack_source<element_type>& from, int x0, int width, element_type* to,
                 std::int64_t step) {
    for (int x = 0; x < width; ++x) {
        const element_type* line = from.origin + from.across[x0 + x];
        for (std::int64_t k = 0; k < from.depth; ++k) to[k * step + x] = line[from.along[k]];
    }
}

void pack_rows(const pack_source<element_type>& from, element_type* to) {
    constexpr int row_lanes = HWY_MIN(lane_count, max_rows);
    const hn::CappedTag<element_type, static_cast<std::size_t>(row_lanes)> d;
    const std::int64_t step = from.width;
    if (from.width <= row_lanes) {
        if (from.width == 1 && row_lanes > 1) {
            pack_scalar(from, 0, 1, to, step);
        } else {
            pack_sliver(d, from, 0, from.width, to, step);
        }
        return;
    }
    int x = 0;
    for (; x + row_lanes <= from.width; x += row_lanes) {
        pack_sliver(d, from, x, row_lanes, to + x, step);
    }
#if HWY_TARGET != HWY_SCALAR
    if constexpr (block_lanes == 2 && row_lanes > 2) {
        const hn::CappedTag<element_type, 2> narrow;
        for (; x + 2 <= from.width; x += 2) pack_sliver(narrow, from, x, 2, to + x, step);
    }
#endif
    if (x < from.width) pack_scalar(from, x, from.width - x, to + x, step);
}

void pack_columns(const pack_source<element_type>& from, element_type* to, std::int64_t step) {
    pack_sliver(full_tag(), from, 0, from.width, to, step);
}

// Loads a vector of a unit-stride operand, or the one value of a broadcast one.
HWY_INLINE hn::Vec<full_tag> load_or_broadcast(const strided<element_type>& x, std::int64_t t) {
    const full_tag d;
    return x.step == 1 ? hn::LoadU(d, x.data + t) : hn::Set(d, *x.data);
}

element_type dot(std::int64_t n, strided<element_type> x, strided<element_type> y) {
    const full_tag d;
    element_type tail = 0;
    std::int64_t t = 0;
    auto total = hn::Zero(d);
    if ((x.step == 0 || x.step == 1) && (y.step == 0 || y.step == 1)) {
        auto sum0 = hn::Zero(d);
        auto sum1 = hn::Zero(d);
        auto sum2 = hn::Zero(d);
        auto sum3 = hn::Zero(d);
        const auto product = [&](std::int64_t at, hn::Vec<full_tag> sum) HWY_ATTR {
            return hn::MulAdd(load_or_broadcast(x, at), load_or_broadcast(y, at), sum);
        };
        for (; t + 4 * lane_count <= n; t += 4 * lane_count) {
            sum0 = product(t, sum0);
            sum1 = product(t + lane_count, sum1);
            sum2 = product(t + 2 * lane_count, sum2);
            sum3 = product(t + 3 * lane_count, sum3);
        }
        for (; t + lane_count <= n; t += lane_count) sum0 = product(t, sum0);
        total = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    }
    for (; t < n; ++t) tail += x.data[t * x.step] * y.data[t * y.step];
    return tail + hn::GetLane(hn::SumOfLanes(d, total));
}

void multiply_add(std::int64_t n, element_type alpha, strided<element_type> x,
                  strided<element_type> y, element_type beta, element_type* c,
                  std::int64_t c_step) {
    const full_tag d;
    std::int64_t t = 0;
    if (c_step == 1 && (x.step == 0 || x.step == 1) && (y.step == 0 || y.step == 1)) {
        const auto scale = hn::Set(d, alpha);
        const auto keep = hn::Set(d, beta);
        if (beta == 0) {
            for (; t + lane_count <= n; t += lane_count) {
                const auto left = hn::Mul(scale, load_or_broadcast(x, t));
                hn::StoreU(hn::Mul(left, load_or_broadcast(y, t)), d, c + t);
            }
        } else {
            for (; t + lane_count <= n; t += lane_count) {
                const auto left = hn::Mul(scale, load_or_broadcast(x, t));
                const auto old = hn::Mul(keep, hn::LoadU(d, c + t));
                hn::StoreU(hn::MulAdd(left, load_or_broadcast(y, t), old), d, c + t);
            }
        }
    }
    for (; t < n; ++t) {
        const element_type product = alpha * x.data[t * x.step] * y.data[t * y.step];
        element_type* to = c + t * c_step;
        *to = beta == 0 ? product : product + beta * *to;
    }
}

template <int rows, int vectors>
constexpr typename kernel_table<element_type>::gemm_function tile_or_none() {
    if constexpr (rows <= tile_rows && vectors <= tile_vectors) {
        return &gemm_tile<rows, vectors>;
    } else {
        return nullptr;
    }
}

template <int rows>
void add_tiles(kernel_table<element_type>& table) {
    table.gemm[rows - 1][0] = tile_or_none<rows, 1>();
    table.gemm[rows - 1][1] = tile_or_none<rows, 2>();
    table.gemm[rows - 1][2] = tile_or_none<rows, 3>();
    if constexpr (rows > 1) add_tiles<rows - 1>(table);
}

kernel_table<element_type> make_table() {
    kernel_table<element_type> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.mr = tile_rows;
    table.vectors = tile_vectors;
    add_tiles<max_rows>(table);
    table.pack_rows = &pack_rows;
    table.pack_columns = &pack_columns;
    table.dot = &dot;
    table.multiply_add = &multiply_add;
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
