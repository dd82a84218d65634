// The kernels of fused groups in Highway, compiled once for every SIMD target. The including file
// defines RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_INL_H
#undef RICCI_KERNELS_FUSED_INL_H
#else
#define RICCI_KERNELS_FUSED_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

#include "src/kernels/math-inl.h"
#include "src/kernels/fused/fused-distance-inl.h"
#include "src/kernels/fused/fused-folds-inl.h"
#include "src/kernels/fused/fused-narrow-inl.h"
#include "src/kernels/fused/fused-places-inl.h"
#include "src/kernels/fused/fused-product-inl.h"
#include "src/kernels/fused/fused.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr number log2_e = static_cast<number>(1.442695040888963407359924681L);

template <class T>
struct weight_constants;

// 2^(r + 1/2) for |r| <= 1/2, the smallest error that a polynomial of this degree has. The results
// lie in one binade, [1, 2), where they are as accurate as their last place.
template <>
struct weight_constants<float> {
    static constexpr float lowest = -127.0f;
    static constexpr float magic = 12582912.0f + 127.0f;  // 1.5 * 2^23 + bias of the exponent
    static constexpr int mantissa = 23;
    // 2^r for 0 <= r < 1, the same series in other powers.
    static constexpr float upward[] = {0.999999925058f,  0.693153073201f,   0.240153617048f,
                                       0.0558263179787f, 0.00898934024459f, 0.00187757659156f};
    static constexpr float series[] = {1.4142136691315248f,   0.9802582068940219f,
                                       0.33972390045374606f,  0.07849305714091573f,
                                       0.013683981854859079f, 0.0018964611319868233f};
};
template <>
struct weight_constants<double> {
    static constexpr double lowest = -1023.0;
    static constexpr double magic = 6755399441055744.0 + 1023.0;  // 1.5 * 2^52 + bias
    static constexpr int mantissa = 52;
    static constexpr double upward[] = {1.0,
                                        0.6931471805599462,
                                        0.24022650695905273,
                                        0.055504108665783584,
                                        0.009618129098015057,
                                        0.0013333558704136518,
                                        0.00015403510074312357,
                                        1.5253217820910248e-05,
                                        1.3207843950817926e-06,
                                        1.0257176763733384e-07,
                                        6.542598925642793e-09,
                                        6.294631555786803e-10};
    static constexpr double series[] = {
        1.4142135623730951,     0.9802581434685472,     0.3397315841830762,
        0.07849466324122097,    0.013602088628605328,   0.0018856498765292685,
        0.00021783881690230354, 2.157062310369978e-05,  1.8689443922969531e-06,
        1.439392969030857e-07,  1.0004421830672908e-08, 6.30390462097012e-10};
};

#if HWY_TARGET <= HWY_AVX3
// AVX-512 has instructions for the parts of 2^x that Highway does not: x - floor(x), and p
// 2^floor(x), here 0 where x is less than `least`.
constexpr int rounded_down = 9;
HWY_INLINE hn::Vec512<float> fraction_of(hn::Vec512<float> x) {
    return hn::Vec512<float>{_mm512_reduce_ps(x.raw, rounded_down)};
}
HWY_INLINE hn::Vec512<double> fraction_of(hn::Vec512<double> x) {
    return hn::Vec512<double>{_mm512_reduce_pd(x.raw, rounded_down)};
}
HWY_INLINE hn::Vec512<float> scaled(hn::Vec512<float> p, hn::Vec512<float> x, float least) {
    const auto counts = _mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(least), _CMP_NLT_UQ);
    return hn::Vec512<float>{_mm512_maskz_scalef_ps(counts, p.raw, x.raw)};
}
HWY_INLINE hn::Vec512<double> scaled(hn::Vec512<double> p, hn::Vec512<double> x, double least) {
    const auto counts = _mm512_cmp_pd_mask(x.raw, _mm512_set1_pd(least), _CMP_NLT_UQ);
    return hn::Vec512<double>{_mm512_maskz_scalef_pd(counts, p.raw, x.raw)};
}

// What exponents are lessened by.
constexpr number offset = 0;

/// 2^(x + offset) for x + offset <= 0, as weights of a softmax need it: 0 where the result is not a
/// normal number any more and for -infinity; NaN stays.
HWY_INLINE vector power_of_two(vector x) {
    using k = weight_constants<number>;
    return scaled(polynomial(tag(), fraction_of(x), k::upward), x, k::lowest + 1);
}
#else
constexpr number offset = number(0.5);

/// The same.
HWY_INLINE vector power_of_two(vector x) {
    const tag d;
    using k = weight_constants<number>;
    const hn::RebindToSigned<tag> di;
    // In this order: the maximum of two is the second one when either is NaN.
    const vector clamped = hn::Max(hn::Set(d, k::lowest), x);
    const vector shifted = hn::Add(clamped, hn::Set(d, k::magic));
    const vector n = hn::Sub(shifted, hn::Set(d, k::magic));
    const vector mantissa = polynomial(d, hn::Sub(clamped, n), k::series);
    // The lowest bits of `shifted` are the exponent with its bias: 0 for `lowest`, which is 0.
    const vector power = hn::BitCast(d, hn::ShiftLeft<k::mantissa>(hn::BitCast(di, shifted)));
    return hn::Mul(mantissa, power);
}
#endif

// exp(score - maximum). The difference comes first: it is exact where the weight is not small, but
// both of its terms times log2(e) would be rounded, and what that makes of a large score is no
// small part of a weight. With a maximum of -infinity all scores are that, and any finite number
// will do.
HWY_INLINE vector weight_of(vector score, vector maximum) {
    const tag d;
    return power_of_two(
        hn::MulAdd(hn::Sub(score, maximum), hn::Set(d, log2_e), hn::Set(d, -offset)));
}
HWY_INLINE vector finite_maximum(vector maximum) {
    const tag d;
    const vector nothing = hn::Set(d, -std::numeric_limits<number>::infinity());
    return hn::IfThenElse(hn::Eq(maximum, nothing), hn::Zero(d), maximum);
}

void raise(const softmax_state<number>& state, const number* maximum, std::size_t n) {
    const tag d;
    const vector nothing = hn::Set(d, -std::numeric_limits<number>::infinity());
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        const vector before = hn::LoadU(d, state.maximum + x);
        const vector now = hn::Max(before, hn::LoadU(d, maximum + x));
        hn::StoreU(now, d, state.maximum + x);
        // Where nothing has been seen there is nothing to rescale.
        const vector factor = hn::IfThenElse(hn::Eq(before, nothing), hn::Zero(d),
                                             exponential(d, hn::Sub(before, now)));
        hn::StoreU(factor, d, state.factor + x);
        hn::StoreU(hn::Mul(hn::LoadU(d, state.sum + x), factor), d, state.sum + x);
    }
}

void weigh(number* tile, const number* scores, std::int64_t step, std::int64_t rows, std::size_t n,
           const softmax_state<number>& state) {
    const tag d;
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        const vector maximum = finite_maximum(hn::LoadU(d, state.maximum + x));
        vector even = hn::Zero(d), odd = hn::Zero(d);
        number* at = tile + x;
        const number* from = scores + x;
        std::int64_t r = 0;
        for (; r + 4 <= rows; r += 4, at += 4 * step, from += 4 * step) {
            const vector w0 = weight_of(hn::LoadU(d, from), maximum);
            const vector w1 = weight_of(hn::LoadU(d, from + step), maximum);
            const vector w2 = weight_of(hn::LoadU(d, from + 2 * step), maximum);
            const vector w3 = weight_of(hn::LoadU(d, from + 3 * step), maximum);
            hn::StoreU(w0, d, at);
            hn::StoreU(w1, d, at + step);
            hn::StoreU(w2, d, at + 2 * step);
            hn::StoreU(w3, d, at + 3 * step);
            even = hn::Add(even, hn::Add(w0, w2));
            odd = hn::Add(odd, hn::Add(w1, w3));
        }
        for (; r < rows; ++r, at += step, from += step) {
            const vector w = weight_of(hn::LoadU(d, from), maximum);
            hn::StoreU(w, d, at);
            even = hn::Add(even, w);
        }
        hn::StoreU(hn::Add(hn::LoadU(d, state.sum + x), hn::Add(even, odd)), d, state.sum + x);
    }
}

void weigh_again(number* tile, const number* scores, std::int64_t step, std::int64_t rows,
                 std::size_t n, const number* maximum, const number* factor) {
    const tag d;
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        const vector most = hn::LoadU(d, maximum + x), scale = hn::LoadU(d, factor + x);
        number* at = tile + x;
        const number* from = scores + x;
        for (std::int64_t r = 0; r < rows; ++r, at += step, from += step)
            hn::StoreU(hn::Mul(weight_of(hn::LoadU(d, from), most), scale), d, at);
    }
}

void write_rows(number* to, std::int64_t to_step, const number* from, std::int64_t from_step,
                std::int64_t rows, std::int64_t n, const number* factors, number beta) {
    const tag d;
    const vector keep = hn::Set(d, beta);
    for (std::int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) {
        const vector factor = hn::Set(d, factors[r]);
        std::int64_t x = 0;
        if (beta == 0) {
            for (; x + lane_count <= n; x += lane_count)
                hn::StoreU(hn::Mul(factor, hn::LoadU(d, from + x)), d, to + x);
            for (; x < n; ++x) to[x] = factors[r] * from[x];
        } else {
            for (; x + lane_count <= n; x += lane_count) {
                const vector old = hn::Mul(keep, hn::LoadU(d, to + x));
                hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, from + x), old), d, to + x);
            }
            for (; x < n; ++x) to[x] = factors[r] * from[x] + beta * to[x];
        }
    }
}

void log_sum_exp(number* out, const softmax_state<number>& state, std::size_t n) {
    const tag d;
    const vector nothing = hn::Set(d, -std::numeric_limits<number>::infinity());
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        const vector sum = hn::LoadU(d, state.sum + x);
        const vector total = hn::Add(hn::LoadU(d, state.maximum + x), logarithm(d, sum));
        hn::StoreU(hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), nothing, total), d, out + x);
    }
}

fused_table<number> make_table() {
    fused_table<number> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = static_cast<int>(lane_count);
    table.vectors = tile_vectors;
    table.most_vectors = most_vectors;
    table.multiply[0] = &multiply<1>;
    table.multiply[1] = &multiply<2>;
    table.multiply[2] = &multiply<3>;
    table.multiply[3] = &multiply<4>;
    add_distances(table);
    add_folds<monoid::product>(table);
    add_folds<monoid::maximum>(table);
    add_folds<monoid::minimum>(table);
    add_places<monoid::maximum>(table);
    add_places<monoid::minimum>(table);
    table.count_rows = &count_rows;
    table.count_lanes = &count_lanes;
    if constexpr (most_narrow > 0) {
        table.most_narrow = most_narrow;
        table.narrow_lines = &narrow_lines<most_narrow>;
        table.narrow_values = &narrow_values<right_side::rows, most_narrow>;
        table.narrow_columns = &narrow_values<right_side::lines, most_narrow>;
    }
    table.raise = &raise;
    table.weigh = &weigh;
    table.weigh_again = &weigh_again;
    table.write_rows = &write_rows;
    table.log_sum_exp = &log_sum_exp;
    return table;
}

const fused_table<number>* target_table() {
    static const fused_table<number> table = make_table();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
