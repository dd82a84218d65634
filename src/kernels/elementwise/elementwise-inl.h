// One loop for each element-wise operation and each choice of which arguments are single numbers.

#if defined(RICCI_KERNELS_ELEMENTWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_ELEMENTWISE_INL_H
#undef RICCI_KERNELS_ELEMENTWISE_INL_H
#else
#define RICCI_KERNELS_ELEMENTWISE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/elementwise/functions-inl.h"
#include "src/kernels/gemm/tail-inl.h"

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

RICCI_OPERATION(negate_op, (D, V a, V, V), hn::Neg(a));
RICCI_OPERATION(square_op, (D, V a, V, V), hn::Mul(a, a));
RICCI_OPERATION(add_op, (D, V a, V b, V), hn::Add(a, b));
RICCI_OPERATION(subtract_op, (D, V a, V b, V), hn::Sub(a, b));
RICCI_OPERATION(multiply_op, (D, V a, V b, V), hn::Mul(a, b));
RICCI_OPERATION(divide_op, (D, V a, V b, V), hn::Div(a, b));
RICCI_OPERATION(less_op, (D d, V a, V b, V), truth(d, hn::Lt(a, b)));
RICCI_OPERATION(less_equal_op, (D d, V a, V b, V), truth(d, hn::Le(a, b)));
RICCI_OPERATION(equal_op, (D d, V a, V b, V), truth(d, hn::Eq(a, b)));
RICCI_OPERATION(not_equal_op, (D d, V a, V b, V), truth(d, differs(a, b)));
RICCI_OPERATION(and_op, (D d, V a, V b, V), truth(d, hn::And(is_true(d, a), is_true(d, b))));
RICCI_OPERATION(or_op, (D d, V a, V b, V), truth(d, hn::Or(is_true(d, a), is_true(d, b))));
RICCI_OPERATION(select_op, (D d, V a, V b, V c), hn::IfThenElse(is_true(d, a), b, c));

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
constexpr void set_unary(elementwise_table<T>& table, steps::opcode code) {
    table.apply[operation(code)][0] = apply_loop<Op, 1, 0, T>;
}

template <class Op, class T>
constexpr void set_binary(elementwise_table<T>& table, steps::opcode code) {
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

/// Of float and double, what folds ask for.
template <class T>
constexpr void set_operations_of_folds(elementwise_table<T>& table) {
    using steps::opcode;
    set_unary<log_op>(table, opcode::log);
    set_binary<multiply_op>(table, opcode::multiply);
    set_binary<divide_op>(table, opcode::divide);
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
