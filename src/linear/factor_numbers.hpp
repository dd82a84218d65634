// What is read off the factors of a matrix: single numbers, and the determinant as a product that
// leaves no range.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/linear/factor_layout.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {

/// Number (i, j) of the factors of a matrix.
template <class T>
T factor_number(const factor_layout<T>& layout, const std::byte* factors, std::int64_t matrix,
                std::int64_t i, std::int64_t j) {
    if (!layout.is_interleaved()) return layout.numbers(factors, matrix)[i + j * layout.leading()];
    constexpr std::int64_t group = kernels::group_size<T>, slot = group * kernels::parts<T>;
    const auto* const x =
        reinterpret_cast<const part_type<T>*>(layout.numbers(factors, matrix / group)) +
        (i * layout.size() + j) * slot + matrix % group;
    if constexpr (is_complex_number<T>) return T(x[0], x[group]);
    else return x[0];
}

/// The row that was exchanged for row k.
template <class T>
std::int64_t exchanged_row(const factor_layout<T>& layout, const std::byte* factors,
                           std::int64_t matrix, std::int64_t k) {
    if (!layout.is_interleaved()) return layout.template pivots<std::int32_t>(factors, matrix)[k];
    constexpr std::int64_t group = kernels::group_size<T>;
    using integer = kernels::lane_integer<T>;
    return layout.template pivots<integer>(factors, matrix / group)[k * group + matrix % group];
}

/// What numbers of a type are multiplied in where that is done one by one.
template <class T>
using wide_number = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;

/// x * y, without the search for infinities that a complex product makes.
template <class T>
T product_of(T x, T y) {
    if constexpr (is_complex_number<T>)
        return {x.real() * y.real() - x.imag() * y.imag(),
                x.real() * y.imag() + x.imag() * y.real()};
    else return x * y;
}

/// A product of any size: a number of magnitude near 1 and a power of two.
template <class T>
class long_product {
public:
    // Products of floats are rounded once in the end.
    using wide = wide_number<T>;

    void multiply(wide factor) {
        number_ = product_of(number_, factor);
        int exponent = 0;
        std::frexp(magnitude(number_), &exponent);
        number_ = scaled(-exponent);
        exponent_ += exponent;
    }
    void negate() { number_ = -number_; }
    void square() {
        number_ *= number_;
        exponent_ *= 2;
    }
    T value() const { return static_cast<T>(scaled(exponent_)); }
    /// The product times `factor` and so many twos, rounded once.
    T value_times(wide factor, std::int64_t twos) const {
        long_product all = *this;
        all.number_ = product_of(number_, factor);
        return static_cast<T>(all.scaled(exponent_ + twos));
    }
    T logarithm() const {
        constexpr double log_of_2 = 0.69314718055994530942;
        return static_cast<part_type<T>>(std::log(std::abs(number_)) +
                                         static_cast<double>(exponent_) * log_of_2);
    }
    /// 0 of 0.
    T sign() const { return number_ == wide{} ? T{} : static_cast<T>(number_ / std::abs(number_)); }

private:
    wide scaled(std::int64_t power) const {
        constexpr std::int64_t beyond = 5000;
        const auto exponent = static_cast<int>(std::clamp(power, -beyond, beyond));
        if constexpr (is_complex_number<T>)
            return {std::ldexp(number_.real(), exponent), std::ldexp(number_.imag(), exponent)};
        else return std::ldexp(number_, exponent);
    }

    wide number_{1};
    std::int64_t exponent_ = 0;
};

/// The determinant of a matrix, of its factors.
template <class T>
long_product<T> determinant_of(const factor_layout<T>& layout, const std::byte* factors,
                               std::int64_t matrix) {
    long_product<T> product;
    for (std::int64_t i = 0; i < layout.size(); ++i) {
        product.multiply(factor_number(layout, factors, matrix, i, i));
        if (layout.kind() == steps::factor_kind::lu &&
            exchanged_row(layout, factors, matrix, i) != i)
            product.negate();
    }
    if (layout.kind() == steps::factor_kind::cholesky) product.square();
    return product;
}

}  // namespace ricci::linear
