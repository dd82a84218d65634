// Products of streamed groups that have few rows, as a decoding step has: the lanes are the sum's, or
// those of values, because lanes for rows would mostly be padding. The including file defines
// RICCI_STREAM_TYPE.
#if defined(RICCI_KERNELS_STREAM_NARROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_STREAM_NARROW_INL_H
#undef RICCI_KERNELS_STREAM_NARROW_INL_H
#else
#define RICCI_KERNELS_STREAM_NARROW_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/stream-product-inl.h"
#include "src/kernels/stream.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr std::int64_t most_narrow = 4;  // lanes
constexpr std::int64_t most_narrow_depth = 512;
// A is read once, as fast as memory gives it: lines of it are asked for so many before their turn.
constexpr std::int64_t lines_ahead = 16;

HWY_INLINE bool is_narrow(const lane_product<number>& p) {
    if (p.used == 0 || p.used > most_narrow || 2 * p.used > lane_count) return false;
    return p.a_step == 1 ? p.depth <= most_narrow_depth : p.a_row == 1;
}

// A row of C: the first lanes from sums of several vectors' lanes, the others repeat one of them.
template <int used>
HWY_INLINE vector in_lanes(const number (&value)[used]) {
    const tag d;
    if constexpr (used == 1) {
        return hn::Set(d, value[0]);
    } else {
        HWY_ALIGN number lanes[lane_count];
        for (std::int64_t x = 0; x < lane_count; ++x) lanes[x] = value[HWY_MIN(x, used - 1)];
        return hn::Load(d, lanes);
    }
}

// Sums along lines of A, which are read as they lie: a few rows of C at a time.
template <int used, int rows>
HWY_INLINE void sum_lines(const lane_product<number>& p, std::int64_t first,
                          const number (*b)[most_narrow_depth]) {
    const tag d;
    vector sum[rows][used];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) sum[r][u] = hn::Zero(d);
    }
    const number* line[rows];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) line[r] = p.a + (first + r) * p.a_row;
    const std::int64_t later = lines_ahead * p.a_row;
    std::int64_t k = 0;
    for (; k + lane_count <= p.depth; k += lane_count) {
        vector right[used];
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) right[u] = hn::LoadU(d, b[u] + k);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            if (k % line_elements == 0) __builtin_prefetch(line[r] + (k + later), 0, 3);
            const vector left = hn::LoadU(d, line[r] + k);
            RICCI_UNROLL
            for (int u = 0; u < used; ++u) sum[r][u] = hn::MulAdd(left, right[u], sum[r][u]);
        }
    }
    vector c[rows][1];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        number value[used];
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) {
            value[u] = hn::GetLane(hn::SumOfLanes(d, sum[r][u]));
            for (std::int64_t rest = k; rest < p.depth; ++rest)
                value[u] += line[r][rest] * b[u][rest];
        }
        c[r][0] = in_lanes(value);
    }
    write_block<rows, 1>(p, first, c);
}

template <int used>
void multiply_lines(const lane_product<number>& p) {
    HWY_ALIGN number b[used][most_narrow_depth];
    for (std::int64_t k = 0; k < p.depth; ++k)
        for (int u = 0; u < used; ++u) b[u][k] = p.b[k * p.b_step + u];
    constexpr int rows = used == 1 ? 8 : 4;
    std::int64_t first = 0;
    for (; first + rows <= p.rows; first += rows) sum_lines<used, rows>(p, first, b);
    for (; first < p.rows; ++first) sum_lines<used, 1>(p, first, b);
}

// Rows of C that are adjacent in A, a few vectors of them at a time.
template <int used, int vectors>
HWY_INLINE void sum_adjacent(const lane_product<number>& p, std::int64_t first) {
    const tag d;
    vector sum[used][vectors];
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[u][v] = hn::Zero(d);
    }
    const number* a = p.a + first;
    const number* b = p.b;
    const std::int64_t later = lines_ahead * p.a_step;
    for (std::int64_t k = 0; k < p.depth; ++k, a += p.a_step, b += p.b_step) {
        vector left[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            if (v * lane_count % line_elements == 0)
                __builtin_prefetch(a + (later + v * lane_count), 0, 3);
            left[v] = hn::LoadU(d, a + v * lane_count);
        }
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) {
            const vector right = hn::Set(d, b[u]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) sum[u][v] = hn::MulAdd(left[v], right, sum[u][v]);
        }
    }
    HWY_ALIGN number sums[used][vectors * lane_count];
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) hn::Store(sum[u][v], d, sums[u] + v * lane_count);
    }
    for (std::int64_t r = 0; r < vectors * lane_count; ++r) {
        number value[used];
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) value[u] = sums[u][r];
        vector c[1][1] = {{in_lanes(value)}};
        write_block<1, 1>(p, first + r, c);
    }
}

template <int used>
void multiply_adjacent(const lane_product<number>& p) {
    constexpr int vectors = used == 1 ? 8 : used == 2 ? 4 : 2;
    std::int64_t first = 0;
    for (; first + vectors * lane_count <= p.rows; first += vectors * lane_count)
        sum_adjacent<used, vectors>(p, first);
    for (; first + lane_count <= p.rows; first += lane_count) sum_adjacent<used, 1>(p, first);
    multiply_from<1>(p, first);
}

template <int used>
void multiply_used(const lane_product<number>& p) {
    if (p.used != used) {
        if constexpr (used > 1) multiply_used<used - 1>(p);
    } else if (p.a_step == 1) {
        multiply_lines<used>(p);
    } else {
        multiply_adjacent<used>(p);
    }
}

/// A product of which few lanes count.
HWY_INLINE void multiply_narrow(const lane_product<number>& p) { multiply_used<most_narrow>(p); }

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
