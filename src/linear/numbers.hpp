// Arithmetic of single numbers, real or complex, as the kernels do it.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "src/kernels/linear/linear.hpp"

/// M(type) for every type that matrices are factored in.
#define RICCI_FOR_FACTORED_TYPES(M) \
    M(float);                       \
    M(double);                      \
    M(std::complex<float>);         \
    M(std::complex<double>)

namespace ricci::linear {

using kernels::part_type;

template <class T>
inline constexpr bool is_complex_number = kernels::parts<T> == 2;

template <class T>
T conjugated(T x) {
    if constexpr (is_complex_number<T>) return std::conj(x);
    else return x;
}

template <class T>
part_type<T> real_of(T x) {
    if constexpr (is_complex_number<T>) return x.real();
    else return x;
}

/// z - x * y, without the search for infinities that a complex product makes.
template <class T>
T subtract_product(T z, T x, T y) {
    if constexpr (is_complex_number<T>) {
        return {z.real() - (x.real() * y.real() - x.imag() * y.imag()),
                z.imag() - (x.real() * y.imag() + x.imag() * y.real())};
    } else {
        return z - x * y;
    }
}

/// |real part| + |imaginary part|.
template <class T>
part_type<T> magnitude(T x) {
    if constexpr (is_complex_number<T>) return std::abs(x.real()) + std::abs(x.imag());
    else return std::abs(x);
}

/// What divides by d, which is not 0. Its reciprocal is taken near 1 where that of d would not be
/// an ordinary number.
template <class T>
kernels::divisor<T> make_divisor(T d) {
    using part = part_type<T>;
    constexpr int most = std::numeric_limits<part>::max_exponent - 8;
    constexpr part large = sizeof(part) == 4 ? part(0x1p56) : part(0x1p500);
    kernels::divisor<T> made;
    const part size = magnitude(d);
    if (size > large || size < 1 / large) {
        int exponent = 0;
        std::frexp(size, &exponent);
        made.scale = std::ldexp(part{1}, std::max(-most, std::min(most, -exponent)));
        d *= made.scale;
    }
    if constexpr (is_complex_number<T>) {
        const part square = d.real() * d.real() + d.imag() * d.imag();
        made.reciprocal = {d.real() / square, -d.imag() / square};
    } else {
        made.reciprocal = 1 / d;
    }
    return made;
}

}  // namespace ricci::linear
