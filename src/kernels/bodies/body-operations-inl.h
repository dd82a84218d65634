// Operations of the register machine on vectors, wherever their arguments come from. The including
// file defines RICCI_BODY_TYPE.
#if defined(RICCI_KERNELS_BODY_OPERATIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_BODY_OPERATIONS_INL_H
#undef RICCI_KERNELS_BODY_OPERATIONS_INL_H
#else
#define RICCI_KERNELS_BODY_OPERATIONS_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/bodies/bodies.hpp"
#include "src/kernels/bodies/body-functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr int lane_count = HWY_LANES(number);

constexpr body_place place_of(int k) { return static_cast<body_place>(k % body_places); }

template <body_binary what>
HWY_INLINE vector binary_of(vector a, vector x) {
    [[maybe_unused]] const tag d;
    if constexpr (what == body_binary::add) return hn::Add(a, x);
    else if constexpr (what == body_binary::subtract) return hn::Sub(a, x);
    else if constexpr (what == body_binary::subtract_from) return hn::Sub(x, a);
    else if constexpr (what == body_binary::multiply) return hn::Mul(a, x);
    else if constexpr (what == body_binary::divide || what == body_binary::quotient)
        return hn::Div(a, x);
    else if constexpr (what == body_binary::divide_into || what == body_binary::quotient_into)
        return hn::Div(x, a);
    else if constexpr (what == body_binary::larger) return larger(a, x);
    else if constexpr (what == body_binary::smaller) return smaller(a, x);
    else if constexpr (what == body_binary::logical_and)
        return truth(d, hn::And(is_true(d, a), is_true(d, x)));
    else return truth(d, hn::Or(is_true(d, a), is_true(d, x)));
}

template <body_comparison what>
HWY_INLINE vector comparison_of(vector a, vector x) {
    [[maybe_unused]] const tag d;
    if constexpr (what == body_comparison::less) return truth(d, hn::Lt(a, x));
    else if constexpr (what == body_comparison::less_equal) return truth(d, hn::Le(a, x));
    else if constexpr (what == body_comparison::greater) return truth(d, hn::Gt(a, x));
    else if constexpr (what == body_comparison::greater_equal) return truth(d, hn::Ge(a, x));
    else if constexpr (what == body_comparison::equal) return truth(d, hn::Eq(a, x));
    else return truth(d, differs(a, x));
}

template <body_fused what>
HWY_INLINE vector fused_of(vector a, vector x, vector y) {
    if constexpr (what == body_fused::scale_add) return hn::MulAdd(a, x, y);
    else if constexpr (what == body_fused::add_product) return hn::MulAdd(x, y, a);
    else if constexpr (what == body_fused::scale_from) return hn::NegMulAdd(a, x, y);
    else return hn::NegMulAdd(x, y, a);
}

template <int code>
HWY_INLINE vector one_of(vector a) {
    using steps::opcode;
    constexpr auto what = static_cast<opcode>(code + static_cast<int>(opcode::negate));
    [[maybe_unused]] const tag d;
    if constexpr (what == opcode::negate) return hn::Neg(a);
    else if constexpr (what == opcode::square) return hn::Mul(a, a);
    else if constexpr (what == opcode::reciprocal) return hn::Div(hn::Set(d, number(1)), a);
    else return function_of<what>::type::run(d, a, a, a);
}

/// Functions of many instructions: a loop over the block in memory, so that each is there once.
constexpr bool is_long(int code) {
    using steps::opcode;
    const auto what = static_cast<opcode>(code + static_cast<int>(opcode::negate));
    const auto price = price_of(what);
    return what != opcode::exp && price != function_price::quick &&
           price != function_price::division;
}

template <int code>
HWY_NOINLINE void each_vector(number* block, std::int64_t vectors) {
    const tag d;
    for (std::int64_t u = 0; u < vectors; ++u)
        hn::Store(one_of<code>(hn::Load(d, block + u * lane_count)), d, block + u * lane_count);
}

/// Functions of two are long, all of them: a becomes f(a, x), or f(x, a).
template <body_function what>
HWY_NOINLINE void each_two(number* block, const number* others, std::int64_t vectors) {
    const tag d;
    for (std::int64_t u = 0; u < vectors; ++u) {
        const vector a = hn::Load(d, block + u * lane_count);
        const vector x = hn::Load(d, others + u * lane_count);
        vector y;
        if constexpr (what == body_function::power) y = power(d, a, x);
        else if constexpr (what == body_function::power_of) y = power(d, x, a);
        else if constexpr (what == body_function::modulo) y = modulo(d, a, x);
        else y = modulo(d, x, a);
        hn::Store(y, d, block + u * lane_count);
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
