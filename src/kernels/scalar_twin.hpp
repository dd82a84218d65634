// What each element-wise operation means, one number at a time with std:: functions: the oracle of
// the tests, the constant folder's arithmetic, and the fallback of kernels without a vector form.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

#include "src/kernels/elementwise.hpp"

namespace ricci::kernels::scalar {

/// The remainder with the sign of the divisor; NaN for a divisor of 0.
template <class T>
T modulo(T a, T b) {
    const T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// The larger of two; NaN when either is.
template <class T>
T maximum(T a, T b) {
    if (std::isnan(a)) return a;
    return a > b ? a : b;
}

template <class T>
T minimum(T a, T b) {
    if (std::isnan(a)) return a;
    return a < b ? a : b;
}

/// x/2 (1 + erf(x / sqrt 2)), written with erfc so that the left tail keeps its digits.
template <class T>
T gelu(T x) {
    const T root_half = static_cast<T>(0.707106781186547524400844362104849039L);
    if (x < T(-60)) return T(-0.0);
    return x * (std::erfc(-x * root_half) / 2);
}

template <class T>
T sigmoid(T x) {
    const T e = std::exp(-std::abs(x));
    return (x < 0 ? e : T(1)) / (1 + e);
}

template <class T>
T silu(T x) {
    return x == -std::numeric_limits<T>::infinity() ? T(-0.0) : x * sigmoid(x);
}

template <class T>
T number(bool truth) {
    return truth ? T(1) : T(0);
}

/// Operation `op` (see kernels::operation) of up to three numbers. Whole and complex numbers have
/// files of their own.
template <std::floating_point T>
T apply(int op, T a, T b, T c) {
    using plan::opcode;
    if (op == multiply_add) return a * b + c;
    switch (static_cast<opcode>(op)) {
        case opcode::constant:
        case opcode::load:
        case opcode::position:
        case opcode::conjugate:
            return a;
        case opcode::negate:
            return -a;
        case opcode::absolute:
            return std::abs(a);
        case opcode::sqrt:
            return std::sqrt(a);
        case opcode::exp:
            return std::exp(a);
        case opcode::log:
            return std::log(a);
        case opcode::sin:
            return std::sin(a);
        case opcode::cos:
            return std::cos(a);
        case opcode::tanh:
            return std::tanh(a);
        case opcode::sigmoid:
            return sigmoid(a);
        case opcode::relu:
            return maximum(a, T(0));
        case opcode::gelu:
            return gelu(a);
        case opcode::silu:
            return silu(a);
        case opcode::elu:
            return a > 0 ? a : std::expm1(a);
        case opcode::sign:
            return std::isnan(a) ? a : number<T>(a > 0) - number<T>(a < 0);
        case opcode::erf:
            return std::erf(a);
        case opcode::floor:
            return std::floor(a);
        case opcode::square:
            return a * a;
        case opcode::reciprocal:
            return 1 / a;
        case opcode::logical_not:
            return number<T>(a == 0);
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
        case opcode::minimum:
            return minimum(a, b);
        case opcode::maximum:
            return maximum(a, b);
        case opcode::modulo:
            return modulo(a, b);
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
