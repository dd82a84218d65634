// Functions of the register machine: those of the table, but quicker where the target has
// instructions for it. The including file defines RICCI_BODY_TYPE.
#if defined(RICCI_KERNELS_BODY_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_BODY_FUNCTIONS_INL_H
#undef RICCI_KERNELS_BODY_FUNCTIONS_INL_H
#else
#define RICCI_KERNELS_BODY_FUNCTIONS_INL_H
#endif

#include <type_traits>

#include <hwy/highway.h>

#include "src/kernels/bodies/bodies.hpp"
#include "src/kernels/elementwise/functions-inl.h"
#include "src/kernels/elementwise/price.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using number = RICCI_BODY_TYPE;
using tag = hn::ScalableTag<number>;
using vector = hn::Vec<tag>;

constexpr bool is_single = std::is_same_v<number, float>;

template <steps::opcode code>
struct function_of;

#define RICCI_FUNCTION(NAME, ...)             \
    template <>                               \
    struct function_of<steps::opcode::NAME> { \
        using type = NAME##_op;               \
    };
#define RICCI_FUNCTION_OF_TWO(...)
#include <ricci/detail/functions.inc>

#if HWY_TARGET <= HWY_AVX3
HWY_INLINE __m512 inverse_root(__m512 x) { return _mm512_rsqrt14_ps(x); }
HWY_INLINE __m512d inverse_root(__m512d x) { return _mm512_rsqrt14_pd(x); }
HWY_INLINE vector rough_inverse_root(vector x) { return vector{inverse_root(x.raw)}; }

HWY_INLINE __m512 inverse(__m512 x) { return _mm512_rcp14_ps(x); }
HWY_INLINE __m512d inverse(__m512d x) { return _mm512_rcp14_pd(x); }
HWY_INLINE vector rough_inverse(vector x) { return vector{inverse(x.raw)}; }
#endif

// Estimates of 12 bits or more, of float; of double there are those of AVX-512 alone.
#if HWY_TARGET <= HWY_AVX3
constexpr bool has_rough_inverse_root = true;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
constexpr bool has_rough_inverse_root = is_single;
template <class V>
HWY_INLINE V rough_inverse_root(V x) {
    if constexpr (is_single) return hn::ApproximateReciprocalSqrt(x);
    else return x;
}
#else
constexpr bool has_rough_inverse_root = false;
HWY_INLINE vector rough_inverse_root(vector x) { return x; }
#endif
#if HWY_TARGET > HWY_AVX3
HWY_INLINE vector rough_inverse(vector x) { return x; }
#endif

constexpr bool has_rough_inverse = HWY_TARGET <= HWY_AVX3;

template <body_power what>
HWY_INLINE vector exact_power(vector x) {
    const vector root = hn::Sqrt(x);
    const vector divisor = what == body_power::inverse_root_cubed ? hn::Mul(x, root) : root;
    return hn::Div(hn::Set(tag(), number(1)), divisor);
}

/// x^(-1/2) or x^(-3/2) within 4 ulp, by an estimate and a correction. `check`: has
/// what says whether there was one added to it. With e = x y^2 - 1, x^(-3/2) = y^3 (1 + e)^(-3/2) =
/// y^3 (1 - 3/2 e + 15/8 e^2 ...): two roundings of the estimate are corrected in one step.
template <body_power what>
HWY_INLINE vector quick_power(vector x, vector& check) {
    const tag d;
    const auto set = [&](double c) HWY_ATTR { return hn::Set(d, static_cast<number>(c)); };
    vector y = rough_inverse_root(x);
    if constexpr (!is_single) {
        const vector t = hn::NegMulAdd(hn::Mul(hn::Mul(x, y), set(0.5)), y, set(1.5));
        y = hn::Mul(y, t);
    }
    vector t, power = y;
    if constexpr (what == body_power::inverse_root_cubed) {
        const vector square = hn::Mul(y, y);
        if constexpr (HWY_TARGET <= HWY_AVX3) {
            t = hn::NegMulAdd(hn::Mul(x, square), set(1.5), set(2.5));
        } else {
            // Of 12 bits the square of e is seen.
            const vector e = hn::MulSub(x, square, set(1));
            t = hn::MulAdd(hn::MulAdd(e, set(1.875), set(-1.5)), e, set(1));
        }
        power = hn::Mul(y, square);
    } else {
        // Half of x itself might be rounded where it is tiny.
        t = hn::NegMulAdd(hn::Mul(hn::Mul(x, y), set(0.5)), y, set(1.5));
    }
    check = hn::Add(check, t);
    return hn::Mul(power, t);
}

/// Whether all estimates that a sum of checks is of could be corrected. They could not where x was
/// 0, negative, infinite or NaN, or its estimate was: of such the sum is NaN or infinite below.
HWY_INLINE bool are_corrected(vector check) {
    const tag d;
    return HWY_LIKELY(hn::AllTrue(d, hn::Gt(check, hn::Zero(d))));
}

/// The same for any x: as quotients and roots give it where there is no correction.
template <body_power what>
HWY_INLINE vector careful_power(vector x) {
    const tag d;
    vector check = hn::Zero(d);
    const vector quick = quick_power<what>(x, check);
    return hn::IfThenElse(hn::Gt(check, hn::Zero(d)), quick, exact_power<what>(x));
}

/// x / y within 1.5 ulp, by an estimate of 1 / y and a correction. What was wrong with the estimate
/// is added to `check`.
HWY_INLINE vector quick_quotient(vector x, vector y, vector& check) {
    const tag d;
    const vector one = hn::Set(d, number(1));
    vector inverse = rough_inverse(y);
    vector error = hn::NegMulAdd(y, inverse, one);
    check = hn::Add(check, hn::Abs(error));
    inverse = hn::MulAdd(inverse, error, inverse);
    if constexpr (!is_single)
        inverse = hn::MulAdd(inverse, hn::NegMulAdd(y, inverse, one), inverse);
    return hn::Mul(x, inverse);
}

/// Whether all of a sum of checks were estimates. They were not where y was 0, infinite or NaN, or
/// 1 / y is no number, as of some denormals: of such the sum is NaN, infinite, or 1.
HWY_INLINE bool are_inverses(vector check) {
    const tag d;
    return HWY_LIKELY(hn::AllTrue(d, hn::Lt(check, hn::Set(d, number(0.5)))));
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
