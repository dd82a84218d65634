// The scalar functions on vectors: one entry for each of the table's. Names of arguments that an
// entry does not use are left out.

#if defined(RICCI_KERNELS_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUNCTIONS_INL_H
#undef RICCI_KERNELS_FUNCTIONS_INL_H
#else
#define RICCI_KERNELS_FUNCTIONS_INL_H
#endif

#include <hwy/highway.h>

#include "src/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#define RICCI_OPERATION(NAME, PARAMETERS, RESULT) \
    struct NAME {                                 \
        template <class D, class V>               \
        static HWY_INLINE V run PARAMETERS {      \
            return RESULT;                        \
        }                                         \
    }

/// 1 where the mask is true, otherwise 0.
template <class D, class M>
HWY_INLINE hn::Vec<D> truth(D d, M mask) {
    return hn::IfThenElseZero(mask, hn::Set(d, hn::TFromD<D>(1)));
}

/// NaN differs from everything; Ne is false for it on some targets, so this is what is not equal.
template <class V>
HWY_INLINE auto differs(V a, V b) -> decltype(hn::Eq(a, b)) {
    return hn::Not(hn::Eq(a, b));
}

template <class D, class V>
HWY_INLINE auto is_true(D d, V a) -> decltype(hn::Eq(a, a)) {
    return differs(a, hn::Zero(d));
}

/// The larger of two; NaN when either is, which Max alone does not promise.
template <class V>
HWY_INLINE V larger(V a, V b) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Max(a, b)));
}

template <class V>
HWY_INLINE V smaller(V a, V b) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Min(a, b)));
}

template <class D, class V>
HWY_INLINE V elu(D d, V a) {
    const V zero = hn::Zero(d);
    // Not "a > 0 chooses a": NaN has to come through, and Min may drop it.
    return hn::IfThenElse(hn::Le(a, zero), exponential_minus_one(d, hn::Min(a, zero)), a);
}

template <class D, class V>
HWY_INLINE V tangent(D d, V x) {
    return hn::Div(sine(d, x), cosine(d, x));
}

template <class D, class V>
HWY_INLINE V arc_tangent(D d, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Atan(d, x));
}

/// e^|x| / 2 and e^-|x| / 2, by way of e^(|x| / 2): the first is finite as long as sinh is.
template <class V>
struct half_exponentials {
    V rising, falling;
};

template <class D, class V>
HWY_INLINE half_exponentials<V> hyperbolic_parts(D d, V x) {
    const V half = hn::Set(d, hn::TFromD<D>(0.5));
    const V root = exponential(d, hn::Mul(half, hn::Abs(x)));
    return {hn::Mul(hn::Mul(half, root), root), hn::Div(half, hn::Mul(root, root))};
}

// (sinh(x) - x) / x^3 in powers of x^2 for |x| < 1: 1 / 3!, 1 / 5!, ...
template <class T>
struct sinh_constants;

template <>
struct sinh_constants<float> {
    static constexpr float series[] = {1.0f / 6, 1.0f / 120, 1.0f / 5040, 1.0f / 362880};
};

template <>
struct sinh_constants<double> {
    static constexpr double series[] = {
        1.0 / 6,        1.0 / 120,        1.0 / 5040,          1.0 / 362880,
        1.0 / 39916800, 1.0 / 6227020800, 1.0 / 1307674368000, 1.0 / 355687428096000};
};

/// By its series where e^x and e^-x would cancel.
template <class D, class V>
HWY_INLINE V hyperbolic_sine(D d, V x) {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T(1));
    const auto parts = hyperbolic_parts(d, x);
    const V near = hn::IfThenElseZero(hn::Lt(hn::Abs(x), one), x);  // keeps the square finite
    const V square = hn::Mul(near, near);
    const V inner =
        hn::MulAdd(hn::Mul(near, square), polynomial(d, square, sinh_constants<T>::series), near);
    const V outer = hn::CopySign(hn::Sub(parts.rising, parts.falling), x);
    const V y = hn::IfThenElse(hn::Lt(hn::Abs(x), one), inner, outer);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
HWY_INLINE V hyperbolic_cosine(D d, V x) {
    const auto parts = hyperbolic_parts(d, x);
    return hn::Add(parts.rising, parts.falling);
}

// log(1 + e) / e in powers of e for 0 <= e <= 1, interpolated at Chebyshev points.
template <class T>
struct softplus_constants;

template <>
struct softplus_constants<float> {
    static constexpr float series[] = {
        0.99999999465629198f,  -0.49999892648063279f,  0.33329710498917749f, -0.24951616262872074f,
        0.19663274257204805f,  -0.15269667074363288f,  0.10543623795419526f, -0.056373612830107328f,
        0.019542527261014101f, -0.0031760570184319597f};
};

template <>
struct softplus_constants<double> {
    static constexpr double series[] = {1.0,
                                        -0.49999999999999834,
                                        0.33333333333306461,
                                        -0.24999999998264811,
                                        0.19999999940349815,
                                        -0.16666665403691092,
                                        0.1428569630956731,
                                        -0.12499817769513954,
                                        0.11109740896460193,
                                        -0.099921278217600168,
                                        0.090555675155907331,
                                        -0.08207163680437429,
                                        0.073290152555349544,
                                        -0.062887546707831463,
                                        0.05007742395391704,
                                        -0.035530525401441245,
                                        0.021511022653356974,
                                        -0.01061469636358553,
                                        0.004047809893467512,
                                        -0.0011093809681700343,
                                        0.00019330794553431146,
                                        -1.6020216725538193e-5};
};

/// log(1 + e^x), written with e^-|x| so that nothing overflows and the left tail stays exact.
template <class D, class V>
HWY_INLINE V softplus(D d, V x) {
    const V e = exponential(d, hn::Neg(hn::Abs(x)));
    const V rest = hn::Mul(e, polynomial(d, e, softplus_constants<hn::TFromD<D>>::series));
    return hn::Add(hn::Max(x, hn::Zero(d)), rest);  // NaN is in the second
}

template <class D, class V>
HWY_INLINE V sign_of(D d, V a) {
    const V zero = hn::Zero(d);
    const V sign = hn::Sub(truth(d, hn::Gt(a, zero)), truth(d, hn::Lt(a, zero)));
    return hn::IfThenElse(hn::IsNaN(a), a, sign);
}

RICCI_OPERATION(exp_op, (D d, V a, V, V), exponential(d, a));
RICCI_OPERATION(log_op, (D d, V a, V, V), logarithm(d, a));
RICCI_OPERATION(sqrt_op, (D, V a, V, V), hn::Sqrt(a));
RICCI_OPERATION(sin_op, (D d, V a, V, V), sine(d, a));
RICCI_OPERATION(cos_op, (D d, V a, V, V), cosine(d, a));
RICCI_OPERATION(tanh_op, (D d, V a, V, V), hyperbolic_tangent(d, a));
RICCI_OPERATION(tan_op, (D d, V a, V, V), tangent(d, a));
RICCI_OPERATION(arctan_op, (D d, V a, V, V), arc_tangent(d, a));
RICCI_OPERATION(sinh_op, (D d, V a, V, V), hyperbolic_sine(d, a));
RICCI_OPERATION(cosh_op, (D d, V a, V, V), hyperbolic_cosine(d, a));
RICCI_OPERATION(absolute_op, (D, V a, V, V), hn::Abs(a));
RICCI_OPERATION(sigmoid_op, (D d, V a, V, V), logistic(d, a));
RICCI_OPERATION(relu_op, (D d, V a, V, V), larger(a, hn::Zero(d)));
RICCI_OPERATION(gelu_op, (D d, V a, V, V), gelu(d, a));
RICCI_OPERATION(silu_op, (D d, V a, V, V), silu(d, a));
RICCI_OPERATION(elu_op, (D d, V a, V, V), elu(d, a));
RICCI_OPERATION(softplus_op, (D d, V a, V, V), softplus(d, a));
RICCI_OPERATION(sign_op, (D d, V a, V, V), sign_of(d, a));
RICCI_OPERATION(erf_op, (D d, V a, V, V), error_function(d, a));
RICCI_OPERATION(floor_op, (D, V a, V, V), hn::Floor(a));
RICCI_OPERATION(ceil_op, (D, V a, V, V), hn::Ceil(a));
RICCI_OPERATION(logical_not_op, (D d, V a, V, V), truth(d, hn::Eq(a, hn::Zero(d))));
RICCI_OPERATION(conjugate_op, (D, V a, V, V), a);
RICCI_OPERATION(real_op, (D, V a, V, V), a);
RICCI_OPERATION(imaginary_op, (D d, V, V, V), hn::Zero(d));
RICCI_OPERATION(maximum_op, (D, V a, V b, V), larger(a, b));
RICCI_OPERATION(minimum_op, (D, V a, V b, V), smaller(a, b));
RICCI_OPERATION(modulo_op, (D d, V a, V b, V), modulo(d, a, b));

#undef RICCI_OPERATION

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
