// Element-wise operations and folds of whole numbers; sums and products wrap.

#if defined(RICCI_KERNELS_WHOLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_WHOLE_INL_H
#undef RICCI_KERNELS_WHOLE_INL_H
#else
#define RICCI_KERNELS_WHOLE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kernels/elementwise/elementwise-inl.h"
#include "src/kernels/scalar/plain_loop.hpp"
#include "src/kernels/elementwise/rows-inl.h"
#include "src/kernels/scalar/scalar_whole.hpp"

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

RICCI_OPERATION(whole_relu_op, (D d, V a, V, V), hn::Max(a, hn::Zero(d)));
RICCI_OPERATION(whole_sign_op, (D d, V a, V, V),
                hn::Sub(truth(d, hn::Gt(a, hn::Zero(d))), truth(d, hn::Lt(a, hn::Zero(d)))));
RICCI_OPERATION(whole_minimum_op, (D, V a, V b, V), hn::Min(a, b));
RICCI_OPERATION(whole_maximum_op, (D, V a, V b, V), hn::Max(a, b));
// On masks of the comparison that every target has.
RICCI_OPERATION(whole_less_equal_op, (D d, V a, V b, V), truth(d, hn::Not(hn::Gt(a, b))));
RICCI_OPERATION(whole_multiply_add_op, (D, V a, V b, V c), hn::Add(hn::Mul(a, b), c));

#undef RICCI_OPERATION

template <bool Largest, class T>
T whole_extreme(const T* a, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    T best = Largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    const auto join = [](T x, T y) { return (x > y) == Largest ? x : y; };
    std::size_t i = 0;
    if (n >= lanes) {
        V s = hn::LoadU(d, a);
        for (i = lanes; i + lanes <= n; i += lanes) {
            const V x = hn::LoadU(d, a + i);
            if constexpr (Largest) s = hn::Max(s, x);
            else s = hn::Min(s, x);
        }
        HWY_ALIGN T each[HWY_MAX_BYTES / sizeof(T)];
        hn::Store(s, d, each);
        for (std::size_t k = 0; k < lanes; ++k) best = join(best, each[k]);
    }
    for (; i < n; ++i) best = join(best, a[i]);
    return best;
}

template <class T>
void whole_maximum_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                        std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return hn::Max(x, y); });
}

template <class T>
void whole_minimum_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                        std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return hn::Min(x, y); });
}

/// There are no rounding errors: `rest` stays 0.
template <class T>
void whole_add(T* sum, T*, const T* x, std::size_t n) {
    add_rows(sum, x, 0, 1, n);
}

template <class T>
void whole_count_up(T* out, T start, T step, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = scalar::add(start, scalar::multiply(static_cast<T>(i), step));
    }
}

template <class T>
constexpr elementwise_table<T> make_whole_table() {
    using steps::opcode;
    elementwise_table<T> table{};
    set_unary<negate_op>(table, opcode::negate);
    set_unary<absolute_op>(table, opcode::absolute);
    set_unary<whole_relu_op>(table, opcode::relu);
    set_unary<whole_sign_op>(table, opcode::sign);
    set_unary<square_op>(table, opcode::square);
    set_unary<logical_not_op>(table, opcode::logical_not);
    set_unary<conjugate_op>(table, opcode::conjugate);
    set_unary<imaginary_op>(table, opcode::imaginary);
    set_binary<add_op>(table, opcode::add);
    set_binary<subtract_op>(table, opcode::subtract);
    set_binary<multiply_op>(table, opcode::multiply);
    set_plain_binary<[](T a, T b, T) { return scalar::divide(a, b); }>(table, opcode::divide);
    set_plain_binary<[](T a, T b, T) { return scalar::power(a, b); }>(table, opcode::power);
    set_binary<whole_minimum_op>(table, opcode::minimum);
    set_binary<whole_maximum_op>(table, opcode::maximum);
    set_plain_binary<[](T a, T b, T) { return scalar::modulo(a, b); }>(table, opcode::modulo);
    set_binary<less_op>(table, opcode::less);
    set_binary<whole_less_equal_op>(table, opcode::less_equal);
    set_binary<equal_op>(table, opcode::equal);
    set_binary<not_equal_op>(table, opcode::not_equal);
    set_binary<and_op>(table, opcode::logical_and);
    set_binary<or_op>(table, opcode::logical_or);
    set_ternary<select_op>(table, operation(opcode::select));
    set_ternary<whole_multiply_add_op>(table, multiply_add);
    table.count_up = whole_count_up<T>;
    table.sum = sum_row<T>;
    table.maximum = whole_extreme<true, T>;
    table.minimum = whole_extreme<false, T>;
    table.add_rows = add_rows<T>;
    table.maximum_rows = whole_maximum_rows<T>;
    table.minimum_rows = whole_minimum_rows<T>;
    table.add_compensated = whole_add<T>;
    return table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
