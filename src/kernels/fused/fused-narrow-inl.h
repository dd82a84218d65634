// Products of fused groups that have few rows, as a decoding step has: the lanes are the sum's, or
// those of values, because lanes for rows would mostly be padding. The including file defines
// RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_NARROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_NARROW_INL_H
#undef RICCI_KERNELS_FUSED_NARROW_INL_H
#else
#define RICCI_KERNELS_FUSED_NARROW_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/fused/fused-product-inl.h"
#include "src/kernels/fused/fused.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// Half of the lanes at most; 1 lane has nothing to gain. With AVX2 rows that fill a vector are no
// slower narrow: they need not be transposed.
constexpr int most_narrow =
    HWY_TARGET == HWY_AVX2 ? lane_count : HWY_MIN(lane_count / 2, max_narrow_lanes);

constexpr bool has_many_registers = HWY_TARGET <= HWY_AVX3;

// Rows of C at a time, as sums along two lines or more need them.
constexpr int narrow_rows(int used) {
    if (!has_many_registers) return used == 2 ? 4 : used <= 6 ? 2 : 1;
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
    HWY_ALIGN number lanes[lane_count];
    for (std::int64_t x = 0; x < lane_count; ++x) lanes[x] = value[HWY_MIN(x, used - 1)];
    return hn::Load(tag(), lanes);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3
constexpr bool joins_sums = true;
// Sums of lanes are joined in vectors of 256 bits, of which a longer one is two.
using joined_tag = hn::CappedTag<number, 32 / sizeof(number)>;
using joined_vector = hn::Vec<joined_tag>;
constexpr int joined_lanes = static_cast<int>(32 / sizeof(number));
static_assert(most_narrow <= joined_lanes);

template <class V>
HWY_INLINE joined_vector add_halves(V x) {
    const joined_tag d;
    if constexpr (lane_count == joined_lanes) return x;
    else return hn::Add(hn::LowerHalf(d, x), hn::UpperHalf(d, x));
}
// Its other lanes are 0.
template <class V>
HWY_INLINE vector in_first_lanes(V x) {
    if constexpr (lane_count == joined_lanes) return x;
    else return hn::ZeroExtendVector(tag(), x);
}

// The sums of the lanes of 1 or 2 vectors in each half, of 0 where there is none: what x and y have
// in the same place of a half comes to lie side by side.
HWY_INLINE joined_vector join_halves(joined_vector x, joined_vector y) {
    const joined_tag d;
    return hn::Add(hn::ConcatLowerLower(d, y, x), hn::ConcatUpperUpper(d, y, x));
}
HWY_INLINE joined_vector join_neighbours(joined_vector x, joined_vector y) {
    const joined_tag d;
    return hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y));
}

/// Lane x is the sum of the lanes of sum[x], 0 where there is none: a tree that all of them share.
/// half is a parameter so that the branch of other machines is not compiled.
template <int used, int half = joined_lanes / 2>
HWY_INLINE vector sums_of_lanes(const stored<vector> (&sum)[used]) {
    const joined_tag d;
    stored<joined_vector> folded[joined_lanes];
    RICCI_UNROLL
    for (int x = 0; x < joined_lanes; ++x)
        folded[x] = x < used ? add_halves(sum[HWY_MIN(x, used - 1)]) : hn::Zero(d);
    stored<joined_vector> part[half];
    RICCI_UNROLL
    for (int x = 0; x < half; ++x) part[x] = join_halves(folded[x], folded[x + half]);
    if constexpr (half == 2) {
        return in_first_lanes(join_neighbours(part[0], part[1]));
    } else {
        const hn::Repartition<double, joined_tag> wide;
        const auto low = hn::BitCast(wide, join_neighbours(part[0], part[1]));
        const auto high = hn::BitCast(wide, join_neighbours(part[2], part[3]));
        return in_first_lanes(hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, low, high)),
                                      hn::BitCast(d, hn::InterleaveUpper(wide, low, high))));
    }
}
#else
constexpr bool joins_sums = false;
#endif

// A is read once, as fast as memory gives it: one line after another, or lines that lie some pages
// apart at once. Neighbours that are read in turns arrive at half that speed or less. Nothing is
// asked for ahead of its turn: the processor foresees both ways, and to ask as well slows it down.

HWY_INLINE number sum_line(const number* HWY_RESTRICT a, const number* HWY_RESTRICT b,
                           std::int64_t depth) {
    const tag d;
    constexpr int parts = 4;
    stored<vector> sum[parts];
    RICCI_UNROLL
    for (int s = 0; s < parts; ++s) sum[s] = hn::Zero(d);
    const auto add = [&](int s, std::int64_t k) RICCI_INLINE_LAMBDA {
        sum[s] = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, b + k), sum[s]);
    };
    std::int64_t k = 0;
    for (; k + parts * lane_count <= depth; k += parts * lane_count) {
        RICCI_UNROLL
        for (int s = 0; s < parts; ++s) add(s, k + s * lane_count);
    }
    for (; k + lane_count <= depth; k += lane_count) add(0, k);
    const vector total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
    number value = hn::GetLane(hn::SumOfLanes(d, total));
    for (; k < depth; ++k) value += a[k] * b[k];
    return value;
}

// The only lane: one line after another, with few instructions in between, so that a processor that
// runs ahead of what it waits for gets far.
template <int rows>
HWY_INLINE void sum_each_line(const lane_product<number>& p, std::int64_t first) {
    const std::int64_t step = p.a_row, depth = p.depth;
    const number* const b = p.b;
    const number* line = p.a + first * step;
    number value[rows];
    for (int r = 0; r < rows; ++r, line += step) value[r] = sum_line(line, b, depth);
    stored<vector> c[rows][1];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) c[r][0] = hn::Set(tag(), value[r] * p.factor);
    write_block<rows, 1>(p, first, c);
}

// Several lanes: what is read of B serves lines that lie `apart`.
template <int used, int rows>
HWY_INLINE void sum_lines(const lane_product<number>& p, std::int64_t first, std::int64_t apart) {
    const tag d;
    stored<vector> sum[rows][used];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) sum[r][u] = hn::Zero(d);
    }
    const number* line[rows];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) line[r] = p.a + (first + r * apart) * p.a_row;
    const number* right_line[used];
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) right_line[u] = p.b + u * p.b_step;
    const std::int64_t depth = p.depth;
    std::int64_t k = 0;
    for (; k + lane_count <= depth; k += lane_count) {
        stored<vector> right[used];
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) right[u] = hn::LoadU(d, right_line[u] + k);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            const vector left = hn::LoadU(d, line[r] + k);
            RICCI_UNROLL
            for (int u = 0; u < used; ++u) sum[r][u] = hn::MulAdd(left, right[u], sum[r][u]);
        }
    }
    stored<vector> c[rows][1];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        number value[used];
        if constexpr (joins_sums) {
            const vector joined = sums_of_lanes(sum[r]);
            if (k == p.depth) {
                c[r][0] = hn::Mul(joined, hn::Set(d, p.factor));
                continue;
            }
            HWY_ALIGN number lanes[lane_count];
            hn::Store(joined, d, lanes);
            RICCI_UNROLL
            for (int u = 0; u < used; ++u) value[u] = lanes[u];
        } else {
            RICCI_UNROLL
            for (int u = 0; u < used; ++u) {
                const vector each = sum[r][u];
                value[u] = hn::GetLane(hn::SumOfLanes(d, each));
            }
        }
        for (std::int64_t rest = k; rest < p.depth; ++rest)
            for (int u = 0; u < used; ++u) value[u] += line[r][rest] * p.b[u * p.b_step + rest];
        c[r][0] = hn::Mul(in_lanes(value), hn::Set(d, p.factor));
    }
    write_block<rows, 1>(p, first, c, apart);
}

template <int used>
void narrow_lines(const lane_product<number>& p) {
    if (p.used != used) {
        if constexpr (used > 1) narrow_lines<used - 1>(p);
        return;
    }
    std::int64_t first = 0;
    if constexpr (used == 1) {
        constexpr int rows = 8;
        for (; first + rows <= p.rows; first += rows) sum_each_line<rows>(p, first);
        for (; first < p.rows; ++first) sum_each_line<1>(p, first);
    } else {
        constexpr int rows = narrow_rows(used);
        const std::int64_t apart = p.rows / rows;
        for (; first < apart; ++first) sum_lines<used, rows>(p, first, apart);
        for (first = rows * apart; first < p.rows; ++first) sum_lines<used, 1>(p, first, 1);
    }
}

/// Where B[k, x] is: beside B[k, x + 1], or in a line of its own x.
enum class right_side { rows, lines };

template <right_side how, int used, int vectors>
HWY_INLINE void sum_values(const lane_product<number>& p, std::int64_t first) {
    const tag d;
    stored<vector> sum[used][vectors];
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[u][v] = hn::Zero(d);
    }
    const number* a = p.a + first;
    const number* line[used];
    RICCI_UNROLL
    for (int u = 0; u < used; ++u)
        line[u] = how == right_side::lines ? p.b + u * p.b_step : p.b + u;
    const std::int64_t b_step = how == right_side::lines ? 1 : p.b_step;
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < p.depth; ++k, a += p.a_step, at += b_step) {
        stored<vector> left[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) left[v] = hn::LoadU(d, a + v * lane_count);
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) {
            const vector right =
                hn::Set(d, how == right_side::lines ? line[u][at] : line[0][at + u]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) sum[u][v] = hn::MulAdd(left[v], right, sum[u][v]);
        }
    }
    // Copies: what is stored might be a part of p, as far as the compiler knows.
    const std::int64_t c_row = p.c_row;
    const number* HWY_RESTRICT scale = p.scale;
    number* HWY_RESTRICT c = p.c + first;
    if (p.mode == product_mode::store) {
        RICCI_UNROLL
        for (int u = 0; u < used; ++u) {
            const vector factor = hn::Set(d, scale == nullptr ? number(1) : scale[u]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                hn::StoreU(hn::Mul(sum[u][v], factor), d, c + u * c_row + v * lane_count);
        }
        return;
    }
    RICCI_UNROLL
    for (int u = 0; u < used; ++u) {
        const vector factor = hn::Set(d, scale == nullptr ? number(1) : scale[u]);
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            number* const to = c + u * c_row + v * lane_count;
            hn::StoreU(hn::MulAdd(hn::LoadU(d, to), factor, sum[u][v]), d, to);
        }
    }
}

// As many values at a time as are left, by halves: the sums of one vector wait for each other.
template <right_side how, int used, int vectors>
HWY_INLINE std::int64_t sum_whole_vectors(const lane_product<number>& p, std::int64_t first) {
    for (; first + vectors * lane_count <= p.rows; first += vectors * lane_count)
        sum_values<how, used, vectors>(p, first);
    if constexpr (vectors > 1) return sum_whole_vectors<how, used, vectors / 2>(p, first);
    return first;
}

template <right_side how, int used>
void narrow_values(const lane_product<number>& p) {
    if (p.used != used) {
        if constexpr (used > 1) narrow_values<how, used - 1>(p);
        return;
    }
    std::int64_t first = sum_whole_vectors<how, used, narrow_vectors(used)>(p, 0);
    const std::int64_t b_step = how == right_side::lines ? 1 : p.b_step;
    const std::int64_t b_lane = how == right_side::lines ? p.b_step : 1;
    for (; first < p.rows; ++first) {
        for (std::int64_t u = 0; u < used; ++u) {
            number sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k)
                sum += p.a[first + k * p.a_step] * p.b[k * b_step + u * b_lane];
            number& c = p.c[u * p.c_row + first];
            const number scale = p.scale == nullptr ? number(1) : p.scale[u];
            c = p.mode == product_mode::store ? sum * scale : c * scale + sum;
        }
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
