// Squared distances of which a product was made, |a|^2 + |b|^2 - 2 a b, and which of them that has
// cost their digits. The including file defines RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_DISTANCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_DISTANCE_INL_H
#undef RICCI_KERNELS_FUSED_DISTANCE_INL_H
#else
#define RICCI_KERNELS_FUSED_DISTANCE_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/fused/fused-product-inl.h"
#include "src/kernels/gemm/sums-of-lanes-inl.h"
#include "src/kernels/fused/fused.hpp"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// The order of a sum depends on how its line lies, not on whether it is one of rows or of columns:
// whoever makes the same distances the other way around gets the same bits.

// The first `count` lanes of what lies there, the others 0.
HWY_INLINE vector load_first(const number* from, std::int64_t count) {
    const tag d;
    if (count == lane_count) return hn::LoadU(d, from);
    HWY_ALIGN number lanes[lane_count] = {};
    for (std::int64_t x = 0; x < count; ++x) lanes[x] = from[x];
    return hn::Load(d, lanes);
}

// Of a line, in lanes that are still to be added up.
template <bool weighted>
HWY_INLINE vector squares_of_line(const number* HWY_RESTRICT a, const number* HWY_RESTRICT weights,
                                  std::int64_t depth) {
    const tag d;
    vector even = hn::Zero(d), odd = hn::Zero(d);
    const auto add = [&](vector x, vector w, vector sum) RICCI_INLINE_LAMBDA {
        return hn::MulAdd(weighted ? hn::Mul(x, w) : x, x, sum);
    };
    const auto weight = [&](std::int64_t k) RICCI_INLINE_LAMBDA {
        return weighted ? hn::LoadU(d, weights + k) : hn::Zero(d);
    };
    std::int64_t k = 0;
    for (; k + 2 * lane_count <= depth; k += 2 * lane_count) {
        even = add(hn::LoadU(d, a + k), weight(k), even);
        odd = add(hn::LoadU(d, a + k + lane_count), weight(k + lane_count), odd);
    }
    for (; k + lane_count <= depth; k += lane_count)
        even = add(hn::LoadU(d, a + k), weight(k), even);
    if (k < depth) {
        const vector w = weighted ? load_first(weights + k, depth - k) : hn::Zero(d);
        odd = add(load_first(a + k, depth - k), w, odd);
    }
    return hn::Add(even, odd);
}

// Some lines at once, so that their lanes are added up together. The last ones may be the same.
template <bool weighted>
void sum_squares_of_lines(const line_squares<number>& p) {
#if HWY_TARGET == HWY_SCALAR
    constexpr int abreast = 1;
#else
    constexpr int abreast = lanes_of_block<number>;
#endif
    for (std::int64_t r = 0; r < p.rows; r += abreast) {
        stored<vector> squares[abreast];
        for (int u = 0; u < abreast; ++u)
            squares[u] = squares_of_line<weighted>(p.a + HWY_MIN(r + u, p.rows - 1) * p.a_row,
                                                   p.weights, p.depth);
        number sums[abreast];
#if HWY_TARGET == HWY_SCALAR
        sums[0] = hn::GetLane(squares[0]);
#else
        store_sums_of_lanes<abreast>(tag(), squares, sums);
#endif
        for (std::int64_t u = 0; u < HWY_MIN(abreast, p.rows - r); ++u)
            p.out[r + u] = p.add ? p.out[r + u] + sums[u] : sums[u];
    }
}

// Lines of which neighbours lie side by side.
template <bool weighted>
void sum_adjacent_squares(const line_squares<number>& p) {
    const tag d;
    for (std::int64_t r = 0; r < p.rows; r += lane_count) {
        const std::int64_t count = HWY_MIN(lane_count, p.rows - r);
        const number* HWY_RESTRICT a = p.a + r;
        vector sum = hn::Zero(d);
        for (std::int64_t k = 0; k < p.depth; ++k, a += p.a_step) {
            const vector x = load_first(a, count);
            sum = hn::MulAdd(weighted ? hn::Mul(x, hn::Set(d, p.weights[k])) : x, x, sum);
        }
        if (p.add) sum = hn::Add(sum, load_first(p.out + r, count));
        if (count == lane_count) {
            hn::StoreU(sum, d, p.out + r);
        } else {
            HWY_ALIGN number lanes[lane_count];
            hn::Store(sum, d, lanes);
            for (std::int64_t x = 0; x < count; ++x) p.out[r + x] = lanes[x];
        }
    }
}

template <bool weighted>
void sum_squares_of(const line_squares<number>& p) {
    if (p.a_step == 1) return sum_squares_of_lines<weighted>(p);
    if (p.a_row == 1) return sum_adjacent_squares<weighted>(p);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        const number* const a = p.a + r * p.a_row;
        number sum = 0;
        for (std::int64_t k = 0; k < p.depth; ++k) {
            const number x = a[k * p.a_step];
            sum += (weighted ? x * p.weights[k] : x) * x;
        }
        p.out[r] = p.add ? p.out[r] + sum : sum;
    }
}

void sum_squares(const line_squares<number>& p) {
    if (p.weights != nullptr) sum_squares_of<true>(p);
    else sum_squares_of<false>(p);
}

// Not larger or equal: NaN, which infinite norms give, is made again as well.
HWY_INLINE hn::Mask<tag> has_cancelled(vector distance, vector norms) {
    const tag d;
    const vector least = hn::Set(d, static_cast<number>(least_expanded_part));
    return hn::Not(hn::Ge(hn::NegMulAdd(least, norms, distance), hn::Zero(d)));
}

template <int vectors>
void expand_rows(const distance_tile<number>& p, bool* cancels) {
    const tag d;
    stored<vector> of_lanes[vectors];
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) of_lanes[v] = hn::LoadU(d, p.of_lanes + v * lane_count);
    const vector two = hn::Set(d, number(2));
    number* HWY_RESTRICT c = p.c;
    for (std::int64_t r = 0; r < p.rows; ++r, c += p.c_row) {
        const vector of_row = hn::Set(d, p.of_rows[r]);
        hn::Mask<tag> any = hn::FirstN(d, 0);
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const vector norms = hn::Add(of_row, vector(of_lanes[v]));
            const vector distance = hn::NegMulAdd(two, hn::LoadU(d, c + v * lane_count), norms);
            hn::StoreU(distance, d, c + v * lane_count);
            any = hn::Or(any, has_cancelled(distance, norms));
        }
        cancels[r] = !hn::AllFalse(d, any);
    }
}

void expand_distances(const distance_tile<number>& p, bool* cancels) {
    switch (p.vectors) {
        case 1:
            return expand_rows<1>(p, cancels);
        case 2:
            return expand_rows<2>(p, cancels);
        case 3:
            return expand_rows<3>(p, cancels);
        default:
            return expand_rows<4>(p, cancels);
    }
}

// Lanes that have not cancelled keep what they have, so that no bit depends on which lanes lie side
// by side.
void replace_distances(const distance_tile<number>& p, const number* direct) {
    const tag d;
    for (std::int64_t r = 0; r < p.rows; ++r) {
        const vector of_row = hn::Set(d, p.of_rows[r]);
        for (std::int64_t v = 0; v < p.vectors; ++v, direct += lane_count) {
            number* const c = p.c + r * p.c_row + v * lane_count;
            const vector norms = hn::Add(of_row, hn::LoadU(d, p.of_lanes + v * lane_count));
            const vector distance = hn::LoadU(d, c);
            const auto cancelled = has_cancelled(distance, norms);
            hn::StoreU(hn::IfThenElse(cancelled, hn::LoadU(d, direct), distance), d, c);
        }
    }
}

template <term of>
void set_products(void (*(&all)[max_fused_vectors])(const lane_product<number>&)) {
    all[0] = &multiply<1, of>;
    all[1] = &multiply<2, of>;
    all[2] = &multiply<3, of>;
    all[3] = &multiply<4, of>;
}

void add_distances(fused_table<number>& table) {
    set_products<term::squared_difference>(table.distance);
    set_products<term::weighted_difference>(table.weighted_distance);
    set_products<term::row_weighted_difference>(table.row_weighted_distance);
    set_products<term::lane_weighted_difference>(table.lane_weighted_distance);
    table.sum_squares = &sum_squares;
    table.expand_distances = &expand_distances;
    table.replace_distances = &replace_distances;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
