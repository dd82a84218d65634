// The scalar functions, one number at a time with std:: functions: one entry for each of the
// table's. Whole and complex numbers have files of their own.
#pragma once

#include <cmath>
#include <limits>

namespace ricci::kernels::scalar {

template <class T>
T number(bool truth) {
    return truth ? T(1) : T(0);
}

template <class T>
T exp(T x) {
    return std::exp(x);
}

template <class T>
T log(T x) {
    return std::log(x);
}

template <class T>
T sqrt(T x) {
    return std::sqrt(x);
}

template <class T>
T sin(T x) {
    return std::sin(x);
}

template <class T>
T cos(T x) {
    return std::cos(x);
}

template <class T>
T tanh(T x) {
    return std::tanh(x);
}

template <class T>
T tan(T x) {
    return std::tan(x);
}

template <class T>
T arctan(T x) {
    return std::atan(x);
}

template <class T>
T sinh(T x) {
    return std::sinh(x);
}

template <class T>
T cosh(T x) {
    return std::cosh(x);
}

template <class T>
T absolute(T x) {
    return std::abs(x);
}

template <class T>
T sigmoid(T x) {
    const T e = std::exp(-std::abs(x));
    return (x < 0 ? e : T(1)) / (1 + e);
}

template <class T>
T relu(T x) {
    return x > 0 || std::isnan(x) ? x : T(0);
}

/// x/2 (1 + erf(x / sqrt 2)), written with erfc so that the left tail keeps its digits.
template <class T>
T gelu(T x) {
    const T root_half = static_cast<T>(0.707106781186547524400844362104849039L);
    if (x < T(-60)) return T(-0.0);
    return x * (std::erfc(-x * root_half) / 2);
}

template <class T>
T silu(T x) {
    return x == -std::numeric_limits<T>::infinity() ? T(-0.0) : x * sigmoid(x);
}

template <class T>
T elu(T x) {
    return x > 0 ? x : std::expm1(x);
}

/// log(1 + e^x), written so that nothing overflows.
template <class T>
T softplus(T x) {
    return relu(x) + std::log1p(std::exp(-std::abs(x)));
}

template <class T>
T sign(T x) {
    return std::isnan(x) ? x : number<T>(x > 0) - number<T>(x < 0);
}

template <class T>
T erf(T x) {
    return std::erf(x);
}

template <class T>
T floor(T x) {
    return std::floor(x);
}

template <class T>
T ceil(T x) {
    return std::ceil(x);
}

template <class T>
T logical_not(T x) {
    return number<T>(x == 0);
}

template <class T>
T conjugate(T x) {
    return x;
}

template <class T>
T real(T x) {
    return x;
}

template <class T>
T imaginary(T) {
    return T(0);
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

/// The remainder with the sign of the divisor; NaN for a divisor of 0.
template <class T>
T modulo(T a, T b) {
    const T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace ricci::kernels::scalar
