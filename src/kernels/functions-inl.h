// The scalar functions on vectors: one entry for each of the table's. Names of arguments that an entry
// does not use are left out.

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

/// log(1 + e^x), written with e^-|x| so that nothing overflows and the left tail stays exact.
template <class D, class V>
HWY_INLINE V softplus(D d, V x) {
    const V e = exponential(d, hn::Neg(hn::Abs(x)));
    const V y = hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, e));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
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
RICCI_OPERATION(logical_not_op, (D d, V a, V, V), truth(d, hn::Eq(a, hn::Zero(d))));
RICCI_OPERATION(conjugate_op, (D, V a, V, V), a);
RICCI_OPERATION(maximum_op, (D, V a, V b, V), larger(a, b));
RICCI_OPERATION(minimum_op, (D, V a, V b, V), smaller(a, b));
RICCI_OPERATION(modulo_op, (D d, V a, V b, V), modulo(d, a, b));

#undef RICCI_OPERATION

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
