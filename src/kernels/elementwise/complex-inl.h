// Element-wise operations and sums of complex numbers: real and imaginary parts are taken apart
// when they are loaded, so that every lane computes.

#if defined(RICCI_KERNELS_COMPLEX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_COMPLEX_INL_H
#undef RICCI_KERNELS_COMPLEX_INL_H
#else
#define RICCI_KERNELS_COMPLEX_INL_H
#endif

#include <hwy/highway.h>

#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>

#include <ricci/detail/function_kinds.hpp>

#include "src/kernels/elementwise/elementwise-inl.h"
#include "src/kernels/scalar/plain_loop.hpp"
#include "src/kernels/elementwise/rows-inl.h"
#include "src/kernels/scalar/scalar_complex.hpp"
#include "src/kernels/stored-vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A vector of complex numbers.
template <class V>
struct complex_vector {
    stored<V> re, im;
};

template <class D>
HWY_INLINE auto load_complex(D d, const std::complex<hn::TFromD<D>>* p) {
    hn::Vec<D> re, im;
    hn::LoadInterleaved2(d, reinterpret_cast<const hn::TFromD<D>*>(p), re, im);
    return complex_vector<hn::Vec<D>>{re, im};
}

template <class D>
HWY_INLINE void store_complex(D d, complex_vector<hn::Vec<D>> z, std::complex<hn::TFromD<D>>* p) {
    hn::StoreInterleaved2(z.re, z.im, d, reinterpret_cast<hn::TFromD<D>*>(p));
}

template <class D>
HWY_INLINE complex_vector<hn::Vec<D>> broadcast_complex(D d, std::complex<hn::TFromD<D>> z) {
    return {hn::Set(d, z.real()), hn::Set(d, z.imag())};
}

template <class D, class V>
HWY_INLINE complex_vector<V> complex_product(D, complex_vector<V> a, complex_vector<V> b) {
    return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
            hn::MulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}

/// The bits of a float's exponent, and how many there are below them.
template <class T>
struct exponent_bits {
    static constexpr int shift = std::numeric_limits<T>::digits - 1;
    static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
};

/// The exponent of a number of 0 or more, as it stands in its bits; kept so far from both ends that
/// the power of two with the opposite exponent is a normal number.
template <class D>
HWY_INLINE auto exponent_of(D, hn::Vec<D> size) {
    using bits = exponent_bits<hn::TFromD<D>>;
    const hn::RebindToSigned<D> di;
    using I = hn::TFromD<decltype(di)>;
    const auto raw = hn::ShiftRight<bits::shift>(hn::BitCast(di, size));
    return hn::Min(hn::Max(raw, hn::Set(di, I(1))), hn::Set(di, I(2 * bits::bias - 1)));
}
/// 2^(exponent - bias) for an exponent as it stands in the bits of a normal number.
template <class D, class I>
HWY_INLINE hn::Vec<D> two_to_the(D d, I exponent) {
    return hn::BitCast(d, hn::ShiftLeft<exponent_bits<hn::TFromD<D>>::shift>(exponent));
}

template <class D, class V>
HWY_INLINE auto is_infinite(D d, V x) {
    return hn::Eq(hn::Abs(x), hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity()));
}
/// 1 where a part is infinite and 0 where it is not, with the part's sign: only directions count
/// where something is infinite.
template <class D, class V>
HWY_INLINE V direction(D d, V x) {
    const V one = hn::Set(d, hn::TFromD<D>(1));
    return hn::CopySign(hn::IfThenElseZero(is_infinite(d, x), one), x);
}

/// Both numbers are brought near 1 by powers of two, so that nothing overflows or underflows but
/// the result. What is divided by 0 becomes infinite, each part by itself; what is divided by
/// something infinite is 0.
template <class D, class V>
HWY_INLINE complex_vector<V> complex_quotient(D d, complex_vector<V> a, complex_vector<V> b) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    using I = hn::TFromD<decltype(di)>;
    constexpr I bias = exponent_bits<T>::bias;
    const V zero = hn::Zero(d);
    const auto by_zero = hn::Eq(hn::Max(hn::Abs(b.re), hn::Abs(b.im)), zero);
    const auto inf_a = hn::Or(is_infinite(d, V(a.re)), is_infinite(d, V(a.im)));
    const auto inf_b = hn::Or(is_infinite(d, V(b.re)), is_infinite(d, V(b.im)));
    const V are = hn::IfThenElse(inf_a, direction(d, V(a.re)), a.re);
    const V aim = hn::IfThenElse(inf_a, direction(d, V(a.im)), a.im);
    const V bre = hn::IfThenElse(inf_b, direction(d, V(b.re)), b.re);
    const V bim = hn::IfThenElse(inf_b, direction(d, V(b.im)), b.im);

    const auto ea = exponent_of(d, hn::Max(hn::Abs(are), hn::Abs(aim)));
    const auto eb = exponent_of(d, hn::Max(hn::Abs(bre), hn::Abs(bim)));
    const V sa = two_to_the(d, hn::Sub(hn::Set(di, I(2 * bias)), ea));
    const V sb = two_to_the(d, hn::Sub(hn::Set(di, I(2 * bias)), eb));
    const V x = hn::Mul(are, sa), y = hn::Mul(aim, sa);
    const V u = hn::Mul(bre, sb), v = hn::Mul(bim, sb);
    const V size = hn::MulAdd(u, u, hn::Mul(v, v));
    const V real = hn::Div(hn::MulAdd(x, u, hn::Mul(y, v)), size);
    const V imaginary = hn::Div(hn::NegMulAdd(x, v, hn::Mul(y, u)), size);
    // back by half of the difference of the exponents, and by the other half
    const auto all = hn::Add(hn::Sub(ea, eb), hn::Set(di, I(2 * bias)));
    const auto half = hn::ShiftRight<1>(all);
    const V first = two_to_the(d, half), second = two_to_the(d, hn::Sub(all, half));
    // infinite over finite, finite over infinite, and no number for both
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const V one = hn::Set(d, T(1));
    const V end = hn::Mul(hn::IfThenElse(inf_a, infinity, one), hn::IfThenElse(inf_b, zero, one));
    const auto put = [&](V part)
                         HWY_ATTR { return hn::Mul(hn::Mul(hn::Mul(part, end), first), second); };
    return {hn::IfThenElse(by_zero, hn::Div(a.re, b.re), put(real)),
            hn::IfThenElse(by_zero, hn::Div(a.im, b.re), put(imaginary))};
}

/// Larger part times sqrt(1 + ratio^2): no square overflows.
template <class D, class V>
HWY_INLINE V complex_size(D d, complex_vector<V> a) {
    const V x = hn::Abs(a.re), y = hn::Abs(a.im);
    const V most = hn::Max(x, y), least = hn::Min(x, y);
    const V ratio = hn::Div(least, most);
    const V size = hn::Mul(most, hn::Sqrt(hn::MulAdd(ratio, ratio, hn::Set(d, hn::TFromD<D>(1)))));
    // 0 / 0 is no ratio; NaN comes through the sum of both parts, but not where one is infinite.
    const V infinity = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity());
    const auto infinite = hn::Or(hn::Eq(x, infinity), hn::Eq(y, infinity));
    const V finite = hn::IfThenElse(hn::IsNaN(hn::Add(x, y)), hn::Add(x, y),
                                    hn::IfThenElse(hn::Eq(most, hn::Zero(d)), most, size));
    return hn::IfThenElse(infinite, infinity, finite);
}

/// In two steps, so that exp(x) may be beyond the range where exp(x) cos(y) is not. A real number
/// has a real exponential, and exp(-infinity) is 0 in every direction.
template <class D, class V>
HWY_INLINE complex_vector<V> complex_exponential(D d, complex_vector<V> a) {
    using T = hn::TFromD<D>;
    const V re = a.re, im = a.im, zero = hn::Zero(d);
    const auto is_large = hn::Gt(
        hn::Abs(re), hn::Set(d, T(0.6) * static_cast<T>(std::numeric_limits<T>::max_exponent)));
    const V half = hn::Mul(re, hn::Set(d, T(0.5)));
    const V first = exponential(d, hn::IfThenElse(is_large, half, re));
    const V second = hn::IfThenElse(is_large, first, hn::Set(d, T(1)));
    const auto nothing = hn::Eq(re, hn::Set(d, -std::numeric_limits<T>::infinity()));
    const V x = hn::Mul(hn::Mul(first, cosine(d, im)), second);
    const V y = hn::Mul(hn::Mul(first, sine(d, im)), second);
    return {hn::IfThenElse(nothing, zero, x),
            hn::IfThenElse(hn::Eq(im, zero), im, hn::IfThenElse(nothing, zero, y))};
}

/// The root whose real part is not negative. Very large and very small numbers are brought nearer
/// by powers of 4.
template <class D, class V>
HWY_INLINE complex_vector<V> complex_root(D d, complex_vector<V> a) {
    using T = hn::TFromD<D>;
    using limits = std::numeric_limits<T>;
    const V half = hn::Set(d, T(0.5)), zero = hn::Zero(d), one = hn::Set(d, T(1));
    const V largest = hn::Max(hn::Abs(a.re), hn::Abs(a.im));
    const auto is_large = hn::Gt(largest, hn::Set(d, limits::max() / 8));
    const auto is_small = hn::Lt(largest, hn::Set(d, limits::min() * 8));
    constexpr int even = limits::digits + limits::digits % 2;
    constexpr T up = static_cast<T>(1LL << even), root_of_up = static_cast<T>(1LL << even / 2);
    const V factor = hn::IfThenElse(is_large, hn::Set(d, T(0.0625)),
                                    hn::IfThenElse(is_small, hn::Set(d, up), one));
    const V back = hn::IfThenElse(is_large, hn::Set(d, T(4)),
                                  hn::IfThenElse(is_small, hn::Set(d, 1 / root_of_up), one));
    const V re = hn::Mul(a.re, factor), im = hn::Mul(a.im, factor);
    const V t =
        hn::Sqrt(hn::Mul(half, hn::Add(complex_size(d, complex_vector<V>{re, im}), hn::Abs(re))));
    const V other = hn::Div(hn::Mul(half, hn::Abs(im)), t);
    const V small = hn::IfThenElse(hn::Eq(t, zero), zero, other);
    const auto right = hn::Ge(re, zero);
    const V real = hn::Mul(back, hn::IfThenElse(right, t, small));
    const V imaginary = hn::Mul(back, hn::CopySign(hn::IfThenElse(right, small, t), im));
    const auto upright = is_infinite(d, im);
    return {hn::IfThenElse(upright, hn::Abs(im), real), hn::IfThenElse(upright, im, imaginary)};
}

#define RICCI_OPERATION(NAME, PARAMETERS, ...) \
    struct NAME {                              \
        template <class D, class Z>            \
        static HWY_INLINE Z run PARAMETERS {   \
            return __VA_ARGS__;                \
        }                                      \
    }

RICCI_OPERATION(complex_negate_op, (D, Z a, Z, Z), {hn::Neg(a.re), hn::Neg(a.im)});
RICCI_OPERATION(complex_conjugate_op, (D, Z a, Z, Z), {a.re, hn::Neg(a.im)});
RICCI_OPERATION(complex_real_op, (D d, Z a, Z, Z), {a.re, hn::Zero(d)});
RICCI_OPERATION(complex_imaginary_op, (D d, Z a, Z, Z), {a.im, hn::Zero(d)});
RICCI_OPERATION(complex_absolute_op, (D d, Z a, Z, Z), {complex_size(d, a), hn::Zero(d)});
RICCI_OPERATION(complex_exp_op, (D d, Z a, Z, Z), complex_exponential(d, a));
RICCI_OPERATION(complex_sqrt_op, (D d, Z a, Z, Z), complex_root(d, a));
RICCI_OPERATION(complex_square_op, (D d, Z a, Z, Z), complex_product(d, a, a));
RICCI_OPERATION(complex_reciprocal_op, (D d, Z a, Z, Z),
                complex_quotient(d, {hn::Set(d, hn::TFromD<D>(1)), hn::Zero(d)}, a));
RICCI_OPERATION(complex_add_op, (D, Z a, Z b, Z), {hn::Add(a.re, b.re), hn::Add(a.im, b.im)});
RICCI_OPERATION(complex_subtract_op, (D, Z a, Z b, Z), {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)});
RICCI_OPERATION(complex_multiply_op, (D d, Z a, Z b, Z), complex_product(d, a, b));
RICCI_OPERATION(complex_divide_op, (D d, Z a, Z b, Z), complex_quotient(d, a, b));
RICCI_OPERATION(complex_multiply_add_op, (D, Z a, Z b, Z c),
                {hn::NegMulAdd(a.im, b.im, hn::MulAdd(a.re, b.re, c.re)),
                 hn::MulAdd(a.im, b.re, hn::MulAdd(a.re, b.im, c.im))});

#undef RICCI_OPERATION

/// Whether a number is not 0, as a mask.
template <class D, class V>
HWY_INLINE auto complex_is_true(D d, complex_vector<V> a) {
    return hn::Or(is_true(d, V(a.re)), is_true(d, V(a.im)));
}

struct complex_select_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z c) {
        const auto chosen = complex_is_true(d, a);
        return {hn::IfThenElse(chosen, b.re, c.re), hn::IfThenElse(chosen, b.im, c.im)};
    }
};
struct complex_not_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z, Z) {
        return {truth(d, hn::Not(complex_is_true(d, a))), hn::Zero(d)};
    }
};
struct complex_equal_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z) {
        return {truth(d, hn::And(hn::Eq(a.re, b.re), hn::Eq(a.im, b.im))), hn::Zero(d)};
    }
};
struct complex_not_equal_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z) {
        return {truth(d, hn::Or(differs(a.re, b.re), differs(a.im, b.im))), hn::Zero(d)};
    }
};
struct complex_and_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z) {
        return {truth(d, hn::And(complex_is_true(d, a), complex_is_true(d, b))), hn::Zero(d)};
    }
};
struct complex_or_op {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z) {
        return {truth(d, hn::Or(complex_is_true(d, a), complex_is_true(d, b))), hn::Zero(d)};
    }
};

/// An operation of real numbers, on numbers that are known to be real.
template <class Op>
struct of_real_parts {
    template <class D, class Z>
    static HWY_INLINE Z run(D d, Z a, Z b, Z c) {
        using V = hn::Vec<D>;
        return {Op::run(d, V(a.re), V(b.re), V(c.re)), hn::Zero(d)};
    }
};

/// As apply_loop.
template <class Op, int Arity, int Single, class R>
void complex_loop(std::complex<R>* out, const std::complex<R>* a, const std::complex<R>* b,
                  const std::complex<R>* c, std::size_t n) {
    using number = std::complex<R>;
    const hn::ScalableTag<R> d;
    using Z = complex_vector<hn::Vec<decltype(d)>>;
    const std::size_t lanes = hn::Lanes(d);
    Z za{hn::Zero(d), hn::Zero(d)}, zb = za, zc = za;
    if constexpr ((Single & 1) != 0) za = broadcast_complex(d, *a);
    if constexpr ((Single & 2) != 0) zb = broadcast_complex(d, *b);
    if constexpr ((Single & 4) != 0) zc = broadcast_complex(d, *c);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        if constexpr (Arity > 0 && (Single & 1) == 0) za = load_complex(d, a + i);
        if constexpr (Arity > 1 && (Single & 2) == 0) zb = load_complex(d, b + i);
        if constexpr (Arity > 2 && (Single & 4) == 0) zc = load_complex(d, c + i);
        store_complex(d, Op::run(d, za, zb, zc), out + i);
    }
    if (i == n) return;
    // The last ones go through memory of a whole vector.
    const std::size_t rest = n - i;
    number buffer[HWY_MAX_BYTES / sizeof(R)] = {};
    const auto load_rest = [&](const number* p) HWY_ATTR {
        for (std::size_t k = 0; k < rest; ++k) buffer[k] = p[k];
        return load_complex(d, buffer);
    };
    if constexpr (Arity > 0 && (Single & 1) == 0) za = load_rest(a + i);
    if constexpr (Arity > 1 && (Single & 2) == 0) zb = load_rest(b + i);
    if constexpr (Arity > 2 && (Single & 4) == 0) zc = load_rest(c + i);
    store_complex(d, Op::run(d, za, zb, zc), buffer);
    for (std::size_t k = 0; k < rest; ++k) out[i + k] = buffer[k];
}

template <class Op, class R>
constexpr void set_complex_unary(elementwise_table<std::complex<R>>& table, steps::opcode code) {
    table.apply[operation(code)][0] = complex_loop<Op, 1, 0, R>;
}

template <class Op, class R>
constexpr void set_complex_binary(elementwise_table<std::complex<R>>& table, steps::opcode code) {
    table.apply[operation(code)][0] = complex_loop<Op, 2, 0, R>;
    table.apply[operation(code)][1] = complex_loop<Op, 2, 1, R>;
    table.apply[operation(code)][2] = complex_loop<Op, 2, 2, R>;
}

template <class Op, class R>
constexpr void set_complex_ternary(elementwise_table<std::complex<R>>& table, int op) {
    table.apply[op][0] = complex_loop<Op, 3, 0, R>;
    table.apply[op][1] = complex_loop<Op, 3, 1, R>;
    table.apply[op][2] = complex_loop<Op, 3, 2, R>;
    table.apply[op][3] = complex_loop<Op, 3, 3, R>;
    table.apply[op][4] = complex_loop<Op, 3, 4, R>;
    table.apply[op][5] = complex_loop<Op, 3, 5, R>;
    table.apply[op][6] = complex_loop<Op, 3, 6, R>;
}

template <class R>
std::complex<R> complex_sum(const std::complex<R>* a, std::size_t n) {
    const hn::ScalableTag<R> d;
    using V = hn::Vec<decltype(d)>;
    using Z = complex_vector<V>;
    const std::size_t lanes = hn::Lanes(d);
    Z s0{hn::Zero(d), hn::Zero(d)}, s1 = s0;
    const auto add = [d](Z x, Z y) HWY_ATTR { return complex_add_op::run(d, x, y, x); };
    std::size_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        s0 = add(s0, load_complex(d, a + i));
        s1 = add(s1, load_complex(d, a + i + lanes));
    }
    for (; i + lanes <= n; i += lanes) s0 = add(s0, load_complex(d, a + i));
    s0 = add(s0, s1);
    std::complex<R> total(hn::GetLane(hn::SumOfLanes(d, V(s0.re))),
                          hn::GetLane(hn::SumOfLanes(d, V(s0.im))));
    for (; i < n; ++i) total += a[i];
    return total;
}

// Sums by columns do not care which part a column is.
template <class R>
void complex_add_rows(std::complex<R>* acc, const std::complex<R>* a, std::ptrdiff_t stride,
                      std::size_t rows, std::size_t n) {
    add_rows(reinterpret_cast<R*>(acc), reinterpret_cast<const R*>(a), 2 * stride, rows, 2 * n);
}

template <class R>
void complex_add_compensated(std::complex<R>* sum, std::complex<R>* rest, const std::complex<R>* x,
                             std::size_t n) {
    add_compensated(reinterpret_cast<R*>(sum), reinterpret_cast<R*>(rest),
                    reinterpret_cast<const R*>(x), 2 * n);
}

template <class R>
void complex_count_up(std::complex<R>* out, std::complex<R> start, std::complex<R> step,
                      std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = start.real() + static_cast<R>(i) * step.real();
}

template <steps::opcode Code, class R>
constexpr auto complex_function = [](std::complex<R> a, std::complex<R> b, std::complex<R>) {
    return scalar::apply(operation(Code), a, b, b);
};

/// The functions that complex numbers have only where they are real.
template <class R>
constexpr void set_functions_of_reals(elementwise_table<std::complex<R>>& table) {
    using namespace detail::function_types;
    using steps::opcode;
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, TYPES, ...) \
    if constexpr (((TYPES)&of_complex) == 0)               \
        set_complex_unary<of_real_parts<NAME##_op>>(table, opcode::NAME);
#define RICCI_FUNCTION_OF_TWO(NAME, WORD, ALSO, FORM, TYPES, ...) \
    if constexpr (((TYPES)&of_complex) == 0)                      \
        set_complex_binary<of_real_parts<NAME##_op>>(table, opcode::NAME);
#include <ricci/detail/functions.inc>
}

template <class R>
constexpr elementwise_table<std::complex<R>> make_complex_table() {
    using steps::opcode;
    elementwise_table<std::complex<R>> table{};
    set_functions_of_reals(table);
    set_complex_unary<complex_negate_op>(table, opcode::negate);
    set_complex_unary<complex_conjugate_op>(table, opcode::conjugate);
    set_complex_unary<complex_real_op>(table, opcode::real);
    set_complex_unary<complex_imaginary_op>(table, opcode::imaginary);
    set_complex_unary<complex_absolute_op>(table, opcode::absolute);
    set_complex_unary<complex_sqrt_op>(table, opcode::sqrt);
    set_complex_unary<complex_exp_op>(table, opcode::exp);
    set_plain_unary<complex_function<opcode::log, R>>(table, opcode::log);
    set_plain_unary<complex_function<opcode::sin, R>>(table, opcode::sin);
    set_plain_unary<complex_function<opcode::cos, R>>(table, opcode::cos);
    set_plain_unary<complex_function<opcode::tanh, R>>(table, opcode::tanh);
    set_plain_unary<complex_function<opcode::tan, R>>(table, opcode::tan);
    set_plain_unary<complex_function<opcode::arctan, R>>(table, opcode::arctan);
    set_plain_unary<complex_function<opcode::sinh, R>>(table, opcode::sinh);
    set_plain_unary<complex_function<opcode::cosh, R>>(table, opcode::cosh);
    set_complex_unary<complex_square_op>(table, opcode::square);
    set_complex_unary<complex_reciprocal_op>(table, opcode::reciprocal);
    set_complex_unary<complex_not_op>(table, opcode::logical_not);
    set_complex_binary<complex_add_op>(table, opcode::add);
    set_complex_binary<complex_subtract_op>(table, opcode::subtract);
    set_complex_binary<complex_multiply_op>(table, opcode::multiply);
    set_complex_binary<complex_divide_op>(table, opcode::divide);
    set_plain_binary<complex_function<opcode::power, R>>(table, opcode::power);
    set_complex_binary<complex_equal_op>(table, opcode::equal);
    set_complex_binary<complex_not_equal_op>(table, opcode::not_equal);
    set_complex_binary<complex_and_op>(table, opcode::logical_and);
    set_complex_binary<complex_or_op>(table, opcode::logical_or);
    set_complex_ternary<complex_select_op>(table, operation(opcode::select));
    set_complex_ternary<complex_multiply_add_op>(table, multiply_add);
    set_complex_binary<of_real_parts<less_op>>(table, opcode::less);
    set_complex_binary<of_real_parts<less_equal_op>>(table, opcode::less_equal);
    table.count_up = complex_count_up<R>;
    table.sum = complex_sum<R>;
    table.add_rows = complex_add_rows<R>;
    table.add_compensated = complex_add_compensated<R>;
    return table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
