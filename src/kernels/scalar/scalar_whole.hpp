// What each element-wise operation means for whole numbers, one at a time. Sums and products wrap
// modulo 2^32 or 2^64; a quotient is rounded downwards, so that a = b (a / b) + (a mod b).
#pragma once

#include <concepts>
#include <type_traits>

#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::kernels::scalar {

/// Computes in the unsigned type, where overflow is defined.
template <std::integral T, class F>
constexpr T wrapping(F f, T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
}

template <std::integral T>
constexpr T add(T a, T b) {
    return wrapping([](auto x, auto y) { return x + y; }, a, b);
}
template <std::integral T>
constexpr T subtract(T a, T b) {
    return wrapping([](auto x, auto y) { return x - y; }, a, b);
}
template <std::integral T>
constexpr T multiply(T a, T b) {
    return wrapping([](auto x, auto y) { return x * y; }, a, b);
}

/// The quotient rounded downwards; 0 for a divisor of 0.
template <std::integral T>
constexpr T divide(T a, T b) {
    if (b == 0) return 0;
    if (b == -1) return subtract(T{0}, a);
    const T quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// The remainder with the sign of the divisor; the number itself for a divisor of 0.
template <std::integral T>
constexpr T modulo(T a, T b) {
    if (b == 0) return a;
    if (b == -1) return 0;
    const T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// 1 / a^-b for a negative exponent: 0 but for 1 and -1.
template <std::integral T>
constexpr T power(T a, T b) {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    T result = 1;
    for (; b > 0; b /= 2) {
        if (b % 2 == 1) result = multiply(result, a);
        a = multiply(a, a);
    }
    return result;
}

/// Operation `op` (see kernels::operation) of up to three numbers, of those that whole numbers
/// have.
template <std::integral T>
constexpr T apply(int op, T a, T b, T c) {
    using steps::opcode;
    if (op == multiply_add) return add(multiply(a, b), c);
    switch (static_cast<opcode>(op)) {
        case opcode::negate:
            return subtract(T{0}, a);
        case opcode::absolute:
            return a < 0 ? subtract(T{0}, a) : a;
        case opcode::relu:
            return a > 0 ? a : T{0};
        case opcode::sign:
            return (a > 0) - (a < 0);
        case opcode::square:
            return multiply(a, a);
        case opcode::logical_not:
            return a == 0;
        case opcode::imaginary:
            return T{0};
        case opcode::add:
            return add(a, b);
        case opcode::subtract:
            return subtract(a, b);
        case opcode::multiply:
            return multiply(a, b);
        case opcode::divide:
            return divide(a, b);
        case opcode::power:
            return power(a, b);
        case opcode::minimum:
            return a < b ? a : b;
        case opcode::maximum:
            return a > b ? a : b;
        case opcode::modulo:
            return modulo(a, b);
        case opcode::less:
            return a < b;
        case opcode::less_equal:
            return a <= b;
        case opcode::equal:
            return a == b;
        case opcode::not_equal:
            return a != b;
        case opcode::logical_and:
            return a != 0 && b != 0;
        case opcode::logical_or:
            return a != 0 || b != 0;
        case opcode::select:
            return a != 0 ? b : c;
        default:
            return a;
    }
}

}  // namespace ricci::kernels::scalar
