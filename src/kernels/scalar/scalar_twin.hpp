// What each element-wise operation means, one number at a time with std:: functions: the oracle of
// the tests, the constant folder's arithmetic, and the fallback of kernels without a vector form.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/scalar/scalar_functions.hpp"

namespace ricci::kernels::scalar {

/// Operation `op` (see kernels::operation) of up to three numbers. Whole and complex numbers have
/// files of their own.
template <std::floating_point T>
T apply(int op, T a, T b, T c) {
    using steps::opcode;
    if (op == multiply_add) return a * b + c;
    switch (static_cast<opcode>(op)) {
        case opcode::constant:
        case opcode::load:
        case opcode::position:
            return a;
        case opcode::negate:
            return -a;
        case opcode::square:
            return a * a;
        case opcode::reciprocal:
            return 1 / a;
#define RICCI_FUNCTION(NAME, ...) \
    case opcode::NAME:            \
        return NAME(a);
#define RICCI_FUNCTION_OF_TWO(NAME, ...) \
    case opcode::NAME:                   \
        return NAME(a, b);
#include <ricci/detail/functions.inc>
        case opcode::add:
            return a + b;
        case opcode::subtract:
            return a - b;
        case opcode::multiply:
            return a * b;
        case opcode::divide:
            return a / b;
        case opcode::power:
            return std::pow(a, b);
        case opcode::less:
            return number<T>(a < b);
        case opcode::less_equal:
            return number<T>(a <= b);
        case opcode::equal:
            return number<T>(a == b);
        case opcode::not_equal:
            return number<T>(a != b);
        case opcode::logical_and:
            return number<T>(a != 0 && b != 0);
        case opcode::logical_or:
            return number<T>(a != 0 || b != 0);
        case opcode::select:
            return a != 0 ? b : c;
    }
    return a;
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
