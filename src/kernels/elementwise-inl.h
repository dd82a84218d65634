// One loop for each element-wise operation and each choice of which arguments are single numbers.

#if defined(RICCI_KERNELS_ELEMENTWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_ELEMENTWISE_INL_H
#undef RICCI_KERNELS_ELEMENTWISE_INL_H
#else
#define RICCI_KERNELS_ELEMENTWISE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "src/kernels/elementwise.hpp"
#include "src/kernels/math-inl.h"
#include "src/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An operation on vectors. Names of arguments that it does not use are left out.
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
HWY_INLINE V sign_of(D d, V a) {
    const V zero = hn::Zero(d);
    const V sign = hn::Sub(truth(d, hn::Gt(a, zero)), truth(d, hn::Lt(a, zero)));
    return hn::IfThenElse(hn::IsNaN(a), a, sign);
}

RICCI_OPERATION(negate_op, (D, V a, V, V), hn::Neg(a));
RICCI_OPERATION(absolute_op, (D, V a, V, V), hn::Abs(a));
RICCI_OPERATION(sqrt_op, (D, V a, V, V), hn::Sqrt(a));
RICCI_OPERATION(exp_op, (D d, V a, V, V), exponential(d, a));
RICCI_OPERATION(log_op, (D d, V a, V, V), logarithm(d, a));
RICCI_OPERATION(sin_op, (D d, V a, V, V), sine(d, a));
RICCI_OPERATION(cos_op, (D d, V a, V, V), cosine(d, a));
RICCI_OPERATION(tanh_op, (D d, V a, V, V), hyperbolic_tangent(d, a));
RICCI_OPERATION(sigmoid_op, (D d, V a, V, V), logistic(d, a));
RICCI_OPERATION(relu_op, (D d, V a, V, V), larger(a, hn::Zero(d)));
RICCI_OPERATION(gelu_op, (D d, V a, V, V), gelu(d, a));
RICCI_OPERATION(silu_op, (D d, V a, V, V), silu(d, a));
RICCI_OPERATION(elu_op, (D d, V a, V, V), elu(d, a));
RICCI_OPERATION(sign_op, (D d, V a, V, V), sign_of(d, a));
RICCI_OPERATION(erf_op, (D d, V a, V, V), error_function(d, a));
RICCI_OPERATION(floor_op, (D, V a, V, V), hn::Floor(a));
RICCI_OPERATION(square_op, (D, V a, V, V), hn::Mul(a, a));
RICCI_OPERATION(reciprocal_op, (D d, V a, V, V), hn::Div(hn::Set(d, hn::TFromD<D>(1)), a));
RICCI_OPERATION(not_op, (D d, V a, V, V), truth(d, hn::Eq(a, hn::Zero(d))));
RICCI_OPERATION(conjugate_op, (D, V a, V, V), a);
RICCI_OPERATION(add_op, (D, V a, V b, V), hn::Add(a, b));
RICCI_OPERATION(subtract_op, (D, V a, V b, V), hn::Sub(a, b));
RICCI_OPERATION(multiply_op, (D, V a, V b, V), hn::Mul(a, b));
RICCI_OPERATION(divide_op, (D, V a, V b, V), hn::Div(a, b));
RICCI_OPERATION(power_op, (D d, V a, V b, V), power(d, a, b));
RICCI_OPERATION(minimum_op, (D, V a, V b, V), smaller(a, b));
RICCI_OPERATION(maximum_op, (D, V a, V b, V), larger(a, b));
RICCI_OPERATION(modulo_op, (D d, V a, V b, V), modulo(d, a, b));
RICCI_OPERATION(less_op, (D d, V a, V b, V), truth(d, hn::Lt(a, b)));
RICCI_OPERATION(less_equal_op, (D d, V a, V b, V), truth(d, hn::Le(a, b)));
RICCI_OPERATION(equal_op, (D d, V a, V b, V), truth(d, hn::Eq(a, b)));
RICCI_OPERATION(not_equal_op, (D d, V a, V b, V), truth(d, differs(a, b)));
RICCI_OPERATION(and_op, (D d, V a, V b, V), truth(d, hn::And(is_true(d, a), is_true(d, b))));
RICCI_OPERATION(or_op, (D d, V a, V b, V), truth(d, hn::Or(is_true(d, a), is_true(d, b))));
RICCI_OPERATION(select_op, (D d, V a, V b, V c), hn::IfThenElse(is_true(d, a), b, c));
RICCI_OPERATION(multiply_add_op, (D, V a, V b, V c), hn::MulAdd(a, b, c));

#undef RICCI_OPERATION

/// out[i] = Op(a[i], b[i], c[i]); bit k of `Single`: argument k is one number. Arguments from
/// `Arity` on are not read. out may be any of the arguments.
template <class Op, int Arity, int Single, class T>
void apply_loop(T* out, const T* a, const T* b, const T* c, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    const V zero = hn::Zero(d);
    V va = zero, vb = zero, vc = zero;
    if constexpr ((Single & 1) != 0) va = hn::Set(d, *a);
    if constexpr ((Single & 2) != 0) vb = hn::Set(d, *b);
    if constexpr ((Single & 4) != 0) vc = hn::Set(d, *c);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        if constexpr (Arity > 0 && (Single & 1) == 0) va = hn::LoadU(d, a + i);
        if constexpr (Arity > 1 && (Single & 2) == 0) vb = hn::LoadU(d, b + i);
        if constexpr (Arity > 2 && (Single & 4) == 0) vc = hn::LoadU(d, c + i);
        hn::StoreU(Op::run(d, va, vb, vc), d, out + i);
    }
    if (i == n) return;
    const std::size_t rest = n - i;
    if constexpr (Arity > 0 && (Single & 1) == 0) va = load_first(d, a + i, rest);
    if constexpr (Arity > 1 && (Single & 2) == 0) vb = load_first(d, b + i, rest);
    if constexpr (Arity > 2 && (Single & 4) == 0) vc = load_first(d, c + i, rest);
    store_first(Op::run(d, va, vb, vc), d, out + i, rest);
}

template <class Op, class T>
constexpr void set_unary(elementwise_table<T>& table, plan::opcode code) {
    table.apply[operation(code)][0] = apply_loop<Op, 1, 0, T>;
}

template <class Op, class T>
constexpr void set_binary(elementwise_table<T>& table, plan::opcode code) {
    table.apply[operation(code)][0] = apply_loop<Op, 2, 0, T>;
    table.apply[operation(code)][1] = apply_loop<Op, 2, 1, T>;
    table.apply[operation(code)][2] = apply_loop<Op, 2, 2, T>;
}

template <class Op, class T>
constexpr void set_ternary(elementwise_table<T>& table, int op) {
    table.apply[op][0] = apply_loop<Op, 3, 0, T>;
    table.apply[op][1] = apply_loop<Op, 3, 1, T>;
    table.apply[op][2] = apply_loop<Op, 3, 2, T>;
    table.apply[op][3] = apply_loop<Op, 3, 3, T>;
    table.apply[op][4] = apply_loop<Op, 3, 4, T>;
    table.apply[op][5] = apply_loop<Op, 3, 5, T>;
    table.apply[op][6] = apply_loop<Op, 3, 6, T>;
}

template <class T>
constexpr void set_operations(elementwise_table<T>& table) {
    using plan::opcode;
    set_unary<negate_op>(table, opcode::negate);
    set_unary<absolute_op>(table, opcode::absolute);
    set_unary<sqrt_op>(table, opcode::sqrt);
    set_unary<exp_op>(table, opcode::exp);
    set_unary<log_op>(table, opcode::log);
    set_unary<sin_op>(table, opcode::sin);
    set_unary<cos_op>(table, opcode::cos);
    set_unary<tanh_op>(table, opcode::tanh);
    set_unary<sigmoid_op>(table, opcode::sigmoid);
    set_unary<relu_op>(table, opcode::relu);
    set_unary<gelu_op>(table, opcode::gelu);
    set_unary<silu_op>(table, opcode::silu);
    set_unary<elu_op>(table, opcode::elu);
    set_unary<sign_op>(table, opcode::sign);
    set_unary<erf_op>(table, opcode::erf);
    set_unary<floor_op>(table, opcode::floor);
    set_unary<square_op>(table, opcode::square);
    set_unary<reciprocal_op>(table, opcode::reciprocal);
    set_unary<not_op>(table, opcode::logical_not);
    set_unary<conjugate_op>(table, opcode::conjugate);
    set_binary<add_op>(table, opcode::add);
    set_binary<subtract_op>(table, opcode::subtract);
    set_binary<multiply_op>(table, opcode::multiply);
    set_binary<divide_op>(table, opcode::divide);
    set_binary<power_op>(table, opcode::power);
    set_binary<minimum_op>(table, opcode::minimum);
    set_binary<maximum_op>(table, opcode::maximum);
    set_binary<modulo_op>(table, opcode::modulo);
    set_binary<less_op>(table, opcode::less);
    set_binary<less_equal_op>(table, opcode::less_equal);
    set_binary<equal_op>(table, opcode::equal);
    set_binary<not_equal_op>(table, opcode::not_equal);
    set_binary<and_op>(table, opcode::logical_and);
    set_binary<or_op>(table, opcode::logical_or);
    set_ternary<select_op>(table, operation(opcode::select));
    set_ternary<multiply_add_op>(table, multiply_add);
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
