// Functions of a vector: right at edges (infinities, NaN, 0) as well as accurate. exp and erf are
// our own; log, sin, cos and tanh are Highway's inside their range, and repaired outside.

#if defined(RICCI_KERNELS_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_MATH_INL_H
#undef RICCI_KERNELS_MATH_INL_H
#else
#define RICCI_KERNELS_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kernels/scalar/scalar_twin.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Horner's rule, lowest coefficient first.
template <class D, class V, class T, std::size_t N>
HWY_INLINE V polynomial(D d, V x, const T (&coefficient)[N]) {
    V sum = hn::Set(d, coefficient[N - 1]);
#pragma GCC unroll 32
    for (std::size_t i = N - 1; i > 0; --i) {
        sum = hn::MulAdd(sum, x, hn::Set(d, coefficient[i - 1]));
    }
    return sum;
}

template <class T>
struct exp_constants;

template <>
struct exp_constants<float> {
    static constexpr float lowest = -104.0f, highest = 89.0f;  // below: 0; above: infinity
    static constexpr float smallest = -87.0f;                  // e^x is a normal number from here
    static constexpr float magic = 12582912.0f;                // 1.5 * 2^23: adding it rounds
    static constexpr float ln2_high = 0.693145751953125f;      // the last 9 bits are 0
    static constexpr float ln2_low = 1.4286068203094173e-06f;
    static constexpr int mantissa = 23;
    // (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, interpolated at Chebyshev points
    static constexpr float series[] = {0.5f, 0.16666576989698775f, 0.041666554617204574f,
                                       0.0083631790527225781f, 0.0013926183587713494f};
};

template <>
struct exp_constants<double> {
    static constexpr double lowest = -746.0, highest = 710.0;
    static constexpr double smallest = -708.0;
    static constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double ln2_high = 0.6931471803691238;
    static constexpr double ln2_low = 1.9082149292705877e-10;
    static constexpr int mantissa = 52;
    static constexpr double series[] = {
        0.5,
        0.16666666666666671,
        0.041666666666666671,
        0.0083333333333261358,
        0.0013888888888883748,
        0.00019841269874820627,
        2.4801587325547743e-05,
        2.7557255400206422e-06,
        2.7557273643110297e-07,
        2.5105217004720745e-08,
        2.0914686968086876e-09,
    };
};

/// 2^n where `n` = magic + n: the integer is in the lowest bits of the sum.
template <class D, class V>
HWY_INLINE V power_of_two(D d, V n_plus_magic) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    using I = hn::TFromD<decltype(di)>;
    constexpr int mantissa = exp_constants<T>::mantissa;
    constexpr I bias = (I{1} << (sizeof(T) * 8 - 2 - static_cast<std::size_t>(mantissa))) - 1;
    return hn::BitCast(
        d, hn::ShiftLeft<mantissa>(hn::Add(hn::BitCast(di, n_plus_magic), hn::Set(di, bias))));
}

#if HWY_TARGET <= HWY_AVX3
/// x 2^n for whole n of any size, rounded once.
HWY_INLINE hn::Vec512<float> times_power_of_two(hn::Vec512<float> x, hn::Vec512<float> n) {
    return hn::Vec512<float>{_mm512_scalef_ps(x.raw, n.raw)};
}
HWY_INLINE hn::Vec512<double> times_power_of_two(hn::Vec512<double> x, hn::Vec512<double> n) {
    return hn::Vec512<double>{_mm512_scalef_pd(x.raw, n.raw)};
}
#endif

/// e^x within 1 ulp; 0 and infinity outside the range, denormals inside, NaN stays NaN.
template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
    using T = hn::TFromD<D>;
    using k = exp_constants<T>;
    const V magic = hn::Set(d, k::magic);
    // What is 0 is told beforehand: processors take a hundred times as long where a product becomes
    // too small for a number. On x86 NaN stays where it is the second.
    const auto is_nothing = hn::Le(x, hn::Set(d, k::lowest));
    const V clamped = hn::IfThenZeroElse(is_nothing, hn::Min(hn::Set(d, k::highest), x));
    const V n = hn::Sub(
        hn::MulAdd(clamped, hn::Set(d, static_cast<T>(1.442695040888963407359924681L)), magic),
        magic);
    const V r = hn::NegMulAdd(n, hn::Set(d, k::ln2_low),
                              hn::NegMulAdd(n, hn::Set(d, k::ln2_high), clamped));
#if HWY_TARGET <= HWY_AVX3
    const V one = hn::Set(d, T(1));
    const V slope = hn::MulAdd(polynomial(d, r, k::series), r, one);
    return hn::IfThenZeroElse(is_nothing, times_power_of_two(hn::MulAdd(slope, r, one), n));
#else
    const V series = hn::MulAdd(polynomial(d, r, k::series), hn::Mul(r, r), r);
    const V mantissa = hn::Add(series, hn::Set(d, T(1)));
    // 2^n may be a denormal or beyond the largest number where the product is not: two factors.
    const V half = hn::MulAdd(n, hn::Set(d, T(0.5)), magic);
    const V rest = hn::Add(hn::Sub(n, hn::Sub(half, magic)), magic);
    const V y = hn::Mul(hn::Mul(mantissa, power_of_two(d, half)), power_of_two(d, rest));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenZeroElse(is_nothing, y));
#endif
}

/// e^x for x <= 0, as softmax and log-sum-exp need it: about two thirds of the price. Results below
/// the smallest normal number become 0; NaN stays NaN; x > 0 beyond rounding is not supported.
template <class D, class V>
HWY_INLINE V exponential_of_nonpositive(D d, V x) {
    using T = hn::TFromD<D>;
    using k = exp_constants<T>;
    const V magic = hn::Set(d, k::magic);
    const V shifted =
        hn::MulAdd(x, hn::Set(d, static_cast<T>(1.442695040888963407359924681L)), magic);
    const V n = hn::Sub(shifted, magic);
    const V r =
        hn::NegMulAdd(n, hn::Set(d, k::ln2_low), hn::NegMulAdd(n, hn::Set(d, k::ln2_high), x));
    const V series = hn::MulAdd(polynomial(d, r, k::series), hn::Mul(r, r), r);
    const V y = hn::Mul(hn::Add(series, hn::Set(d, T(1))), power_of_two(d, shifted));
    // The exponent of what is below has wrapped round, and -infinity has become NaN.
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, k::smallest)), hn::Zero(d), y);
}

template <class D, class V>
HWY_INLINE V logarithm(D d, V x) {
    using T = hn::TFromD<D>;
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const V zero = hn::Zero(d);
    V y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), y);
    // Neither Eq nor IsNaN alone: +infinity and NaN are their own logarithms.
    return hn::IfThenElse(hn::Or(hn::Eq(x, infinity), hn::IsNaN(x)), x, y);
}

// Highway's reduction by multiples of pi holds to about 39000; what is beyond, or not finite, goes
// through std::sin or std::cos, and its neighbours in a vector do not.
template <class D, class V>
HWY_INLINE V sine(D d, V x) {
    using T = hn::TFromD<D>;
    const auto is_near = hn::Le(hn::Abs(x), hn::Set(d, T(39000)));
    const V y = hn::Sin(d, x);
    if (HWY_LIKELY(hn::AllTrue(d, is_near))) return y;
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(x, d, lanes);
    scalar::sin_each(lanes, hn::Lanes(d));
    return hn::IfThenElse(is_near, y, hn::Load(d, lanes));
}

template <class D, class V>
HWY_INLINE V cosine(D d, V x) {
    using T = hn::TFromD<D>;
    const auto is_near = hn::Le(hn::Abs(x), hn::Set(d, T(39000)));
    const V y = hn::Cos(d, x);
    if (HWY_LIKELY(hn::AllTrue(d, is_near))) return y;
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(x, d, lanes);
    scalar::cos_each(lanes, hn::Lanes(d));
    return hn::IfThenElse(is_near, y, hn::Load(d, lanes));
}

template <class D, class V>
HWY_INLINE V hyperbolic_tangent(D d, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
}

/// 1 / (1 + e^-x), written with e^-|x| so that nothing overflows and the left tail stays exact.
template <class D, class V>
HWY_INLINE V logistic(D d, V x) {
    const V one = hn::Set(d, hn::TFromD<D>(1));
    const V e = exponential(d, hn::Neg(hn::Abs(x)));
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

/// e^x - 1 for x <= 0 (elu). Highway's is good to 4 ulp.
template <class D, class V>
HWY_INLINE V exponential_minus_one(D d, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Expm1(d, x));
}

// erf(x) / x in powers of x^2 for |x| <= 1, and exp(x^2) erfc(x) (x + 2) in powers of 1 / (x + 2)
// for x >= 1, both interpolated at Chebyshev points.
template <class T>
struct erf_constants;

template <>
struct erf_constants<float> {
    static constexpr float largest = 10.5f;  // erfc is 0 from here
    static constexpr float inner[] = {1.1283791658483509f,    -0.37612626666720334f,
                                      0.11283594715160218f,   -0.026854212010626412f,
                                      0.0051890874234339739f, -0.00080168642871658699f,
                                      7.8758750626854883e-05f};
    static constexpr float outer[] = {
        0.56418614599499517f, 1.1285665904982349f,  1.9703754013631454f,  2.8735145256013332f,
        2.3260414562382343f,  0.71204011286266833f, -4.3809107325294301f, -47.930729338665301f,
        110.86264479150137f,  -70.85192385387947f};
};

template <>
struct erf_constants<double> {
    static constexpr double largest = 28.0;
    static constexpr double inner[] = {
        1.1283791670955126,      -0.37612638903183754,    0.11283791670955121,
        -0.02686617064512984,    0.0052239776254232985,   -0.00085483270219348297,
        0.00012055332902888736,  -1.4925647567519332e-05, 1.6462045441468418e-06,
        -1.6364642158167616e-07, 1.4792401209404813e-08,  -1.216456005728345e-09,
        8.7090451290531062e-11,  -4.2309458242953377e-12};
    static constexpr double outer[] = {
        0.5641895835513413, 1.1283791663864684,   1.9746636066114325,  2.8209443800626666,
        2.6800336408674723, -0.28573149947041854, -7.1890805603374277, -14.870573673288677,
        12.851994523856865, -94.521510976249672,  1242.272558735621,   -6992.9701670875875,
        32762.700581032652, -123971.42270490481,  333173.61424615927,  -591244.51086887589,
        617959.33558521082, -206754.66713965638,  -329579.37556122016, 442742.86485271831,
        -173535.06848606365};
};

/// exp(-scale y^2), `scale` a power of two. The rounding error of y^2 alone would cost y^2 ulp, and
/// does where products are not fused.
template <class D, class V>
HWY_INLINE V gaussian(D d, V y, V scale) {
    const V square = hn::Mul(y, y);
    const V value = exponential(d, hn::Neg(hn::Mul(square, scale)));
#if HWY_NATIVE_FMA
    return hn::NegMulAdd(hn::Mul(hn::MulSub(y, y, square), scale), value, value);
#else
    return value;
#endif
}

/// erfc(x) for x >= 1, given exp(-x^2).
template <class D, class V>
HWY_INLINE V erfc_outer(D d, V x, V decay) {
    using T = hn::TFromD<D>;
    const V t = hn::Div(hn::Set(d, T(1)), hn::Add(x, hn::Set(d, T(2))));
    return hn::Mul(hn::Mul(decay, t), polynomial(d, t, erf_constants<T>::outer));
}

template <class D, class V>
HWY_INLINE V error_function(D d, V x) {
    using T = hn::TFromD<D>;
    using k = erf_constants<T>;
    const V one = hn::Set(d, T(1));
    const V size = hn::Abs(x);
    const V inner = hn::Mul(x, polynomial(d, hn::Mul(x, x), k::inner));
    const V far = hn::Min(hn::Max(size, one), hn::Set(d, k::largest));
    const V outer = hn::CopySign(hn::Sub(one, erfc_outer(d, far, gaussian(d, far, one))), x);
    const V y = hn::IfThenElse(hn::Lt(size, one), inner, outer);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// x/2 (1 + erf(x / sqrt 2)), with erfc on the left so that the tail keeps its digits.
template <class D, class V>
HWY_INLINE V gelu(D d, V x) {
    using T = hn::TFromD<D>;
    using k = erf_constants<T>;
    const V one = hn::Set(d, T(1));
    const V half = hn::Set(d, T(0.5));
    const V z = hn::Mul(x, hn::Set(d, static_cast<T>(0.707106781186547524400844362104849039L)));
    const V size = hn::Abs(z);
    const V inner = hn::MulAdd(hn::Mul(z, half), polynomial(d, hn::Mul(z, z), k::inner), half);
    const V far = hn::Min(hn::Max(size, one), hn::Set(d, k::largest));
    const V near = hn::Min(hn::Abs(x), hn::Set(d, k::largest * T(1.5)));  // keeps the square finite
    const V tail = hn::Mul(half, erfc_outer(d, far, gaussian(d, near, half)));
    const V outer = hn::IfThenElse(hn::Lt(z, hn::Zero(d)), tail, hn::Sub(one, tail));
    const V weight = hn::IfThenElse(hn::Lt(size, one), inner, outer);
    // -infinity * 0 would be NaN: the weight is 0 long before -60.
    const V y = hn::Mul(hn::Max(x, hn::Set(d, T(-60))), weight);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
HWY_INLINE V silu(D d, V x) {
    using T = hn::TFromD<D>;
    const V least = hn::Set(d, T(sizeof(T) == 4 ? -200 : -1000));  // the weight is 0 from here
    const V y = hn::Mul(hn::Max(x, least), logistic(d, x));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// The remainder with the sign of the divisor.
template <class D, class V>
HWY_INLINE V modulo(D d, V a, V b) {
    using T = hn::TFromD<D>;
#if HWY_NATIVE_FMA
    // With a fused product the remainder is exact as long as the quotient is a small integer.
    const V q = hn::Floor(hn::Div(a, b));
    V r = hn::NegMulAdd(q, b, a);
    const V zero = hn::Zero(d);
    const V size = hn::Abs(b);
    const V sign = hn::CopySign(hn::Set(d, T(1)), b);
    // The rounded quotient is never below the true one, and may be one above it. What is rounded up
    // to the divisor stays, as it does where lanes are computed one by one.
    const V s = hn::Mul(r, sign);
    r = hn::Mul(hn::IfThenElse(hn::Lt(s, zero), hn::Add(s, size), s), sign);
    // Comparisons are false for NaN, which covers infinite arguments and a divisor of 0.
    if (HWY_LIKELY(hn::AllTrue(
            d, hn::And(hn::Lt(hn::Abs(q), hn::Set(d, T(1 << 22))), hn::Le(hn::Abs(r), size))))) {
        return r;
    }
#endif
    HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN T y[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(a, d, x);
    hn::Store(b, d, y);
    scalar::modulo_each(x, y, hn::Lanes(d));
    return hn::Load(d, x);
}

/// std::pow, lane by lane: simplification turns the common constant exponents into products and
/// square roots before they come here.
template <class D, class V>
HWY_INLINE V power(D d, V a, V b) {
    using T = hn::TFromD<D>;
    HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN T y[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(a, d, x);
    hn::Store(b, d, y);
    scalar::power_each(x, y, hn::Lanes(d));
    return hn::Load(d, x);
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
