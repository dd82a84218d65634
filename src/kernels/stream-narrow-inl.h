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

// Half of the lanes at most; 1 lane has nothing to gain.
constexpr int most_narrow = HWY_MIN(lane_count / 2, max_narrow_lanes);
// A is read once, as fast as memory gives it: lines of it are asked for so many before their turn.
constexpr std::int64_t lines_ahead = 16;

constexpr bool has_many_registers = HWY_TARGET <= HWY_AVX3;

// Rows of C at a time, as sums along lines need them.
constexpr int narrow_rows(int used) {
    if (used == 1) return 8;
    if (!has_many_registers) return used == 2 ? 4 : 2;
    return used <= 3 ? 8 : used <= 6 ? 4 : 2;
}

// Vectors of values at a time.
constexpr int narrow_vectors(int used) {
    if (used == 1) return 8;
    if (!has_many_registers) return used == 2 ? 4 : 2;
    return used == 2 ? 8 : used <= 6 ? 4 : 2;
}

// A row of C, whose other lanes repeat the last one.
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

template <int used, int rows>
HWY_INLINE void sum_lines(const lane_product<number>& p, std::int64_t first) {
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
        for (int u = 0; u < used; ++u) right[u] = hn::LoadU(d, p.b + u * p.b_step + k);
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
        for (int u = 0; u < used; ++u) value[u] = hn::GetLane(hn::SumOfLanes(d, sum[r][u]));
        for (std::int64_t rest = k; rest < p.depth; ++rest)
            for (int u = 0; u < used; ++u) value[u] += line[r][rest] * p.b[u * p.b_step + rest];
        c[r][0] = hn::Mul(in_lanes(value), hn::Set(d, p.factor));
    }
    write_block<rows, 1>(p, first, c);
}

template <int used>
void narrow_lines(const lane_product<number>& p) {
    if (p.used != used) {
        if constexpr (used > 1) narrow_lines<used - 1>(p);
        return;
    }
    constexpr int rows = narrow_rows(used);
    std::int64_t first = 0;
    for (; first + rows <= p.rows; first += rows) sum_lines<used, rows>(p, first);
    for (; first < p.rows; ++first) sum_lines<used, 1>(p, first);
}

template <int used, int vectors>
HWY_INLINE void sum_values(const lane_product<number>& p, std::int64_t first) {
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
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) {
        const vector scale = hn::Set(d, p.scale == nullptr ? number(1) : p.scale[u]);
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            number* const c = p.c + u * p.c_row + first + v * lane_count;
            hn::StoreU(hn::MulAdd(hn::LoadU(d, c), scale, sum[u][v]), d, c);
        }
    }
}

template <int used>
void narrow_values(const lane_product<number>& p) {
    if (p.used != used) {
        if constexpr (used > 1) narrow_values<used - 1>(p);
        return;
    }
    constexpr int vectors = narrow_vectors(used);
    std::int64_t first = 0;
    for (; first + vectors * lane_count <= p.rows; first += vectors * lane_count)
        sum_values<used, vectors>(p, first);
    for (; first + lane_count <= p.rows; first += lane_count) sum_values<used, 1>(p, first);
    for (; first < p.rows; ++first) {
        for (std::int64_t u = 0; u < used; ++u) {
            number sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k)
                sum += p.a[first + k * p.a_step] * p.b[k * p.b_step + u];
            number& c = p.c[u * p.c_row + first];
            c = c * (p.scale == nullptr ? number(1) : p.scale[u]) + sum;
        }
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
