// What each element-wise operation means, one number at a time with std:: functions: the oracle of
// the tests, the constant folder's arithmetic, and the fallback of kernels without a vector form.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/scalar/scalar_functions.hpp"

namespace ricci::kernels::scalar {

/// The operations that mean the same for real and complex numbers; what `other` gives where `op` is
/// none of them.
template <class T, class Other>
T apply_to_any(int op, T a, T b, T c, const Other& other) {
    using steps::opcode;
    const T zero(0);
    if (op == multiply_add) return a * b + c;
    switch (static_cast<opcode>(op)) {
        case opcode::negate:
            return -a;
        case opcode::square:
            return a * a;
        case opcode::reciprocal:
            return T(1) / a;
        case opcode::add:
            return a + b;
        case opcode::subtract:
            return a - b;
        case opcode::multiply:
            return a * b;
        case opcode::divide:
            return a / b;
        case opcode::equal:
            return number<T>(a == b);
        case opcode::not_equal:
            return number<T>(a != b);
        case opcode::logical_and:
            return number<T>(a != zero && b != zero);
        case opcode::logical_or:
            return number<T>(a != zero || b != zero);
        case opcode::logical_not:
            return number<T>(a == zero);
        case opcode::select:
            return a != zero ? b : c;
        default:
            return other();
    }
}

/// The operations of real numbers alone.
template <std::floating_point T>
T apply_to_real(int op, T a, T b) {
    using steps::opcode;
    switch (static_cast<opcode>(op)) {
#define RICCI_FUNCTION(NAME, ...) \
    case opcode::NAME:            \
        return NAME(a);
#define RICCI_FUNCTION_OF_TWO(NAME, ...) \
    case opcode::NAME:                   \
        return NAME(a, b);
#include <ricci/detail/functions.inc>
        case opcode::power:
            return std::pow(a, b);
        case opcode::less:
            return number<T>(a < b);
        case opcode::less_equal:
            return number<T>(a <= b);
        case opcode::constant:
        case opcode::load:
        case opcode::position:
        // Those of apply_to_any, by name: the compiler says which operation stands nowhere.
        case opcode::negate:
        case opcode::square:
        case opcode::reciprocal:
        case opcode::add:
        case opcode::subtract:
        case opcode::multiply:
        case opcode::divide:
        case opcode::equal:
        case opcode::not_equal:
        case opcode::logical_and:
        case opcode::logical_or:
        case opcode::select:
            break;
    }
    return a;
}

/// Operation `op` (see kernels::operation) of up to three numbers. Whole and complex numbers have
/// files of their own.
template <std::floating_point T>
T apply(int op, T a, T b, T c) {
    return apply_to_any(op, a, b, c, [&] { return apply_to_real(op, a, b); });
}

// Loops for vector code that meets arguments outside the range of its approximation.
template <class T>
void sin_each(T* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(x[i]);
}

template <class T>
void cos_each(T* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(x[i]);
}

template <class T>
void power_each(T* x, const T* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::pow(x[i], y[i]);
}

template <class T>
void modulo_each(T* x, const T* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = modulo(x[i], y[i]);
}

}  // namespace ricci::kernels::scalar
