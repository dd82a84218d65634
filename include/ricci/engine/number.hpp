// A factor of a step (alpha, beta), whatever the element type of the operands.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ricci/element.hpp>

namespace ricci::engine {

/// A number that the arithmetic of every element type can take up: real and complex types use
/// `real` and `imaginary`, whole-number types `whole`.
struct number {
    template <class R>
    using real_type = std::conditional_t<std::floating_point<R>, R, float>;

    double real = 0;
    double imaginary = 0;
    std::int64_t whole = 0;

    constexpr number() = default;
    // Implicit: a factor is written as 2, 0.5 or std::complex<float>(0, 1).
    template <std::integral I>
    constexpr number(I value)  // NOLINT
        : real(static_cast<double>(value)), whole(static_cast<std::int64_t>(value)) {}
    template <class R>
    requires(std::floating_point<R> || std::same_as<R, bf16> || std::same_as<R, f16>)  //
        constexpr number(R value)                                                      // NOLINT
        : real(static_cast<double>(static_cast<real_type<R>>(value))),
          whole(real >= -0x1p63 && real < 0x1p63 ? static_cast<std::int64_t>(real) : 0) {}
    template <class Z>
    requires(is_complex(element_v<Z>)) constexpr number(const Z& value)  // NOLINT
        : number(static_cast<double>(value.real())) {
        imaginary = static_cast<double>(value.imag());
    }
    constexpr number(double re, double im) : number(re) { imaginary = im; }

    bool operator==(const number&) const = default;

    /// It is what `real` says, whatever the element type.
    constexpr bool is_plain() const {
        return imaginary == 0 &&
               (static_cast<double>(whole) != real ||
                (whole >= -(std::int64_t{1} << 53) && whole <= (std::int64_t{1} << 53)));
    }
    constexpr bool is_whole() const { return imaginary == 0 && static_cast<double>(whole) == real; }

    /// T: what the kernels compute in. Whole numbers wrap.
    template <class T>
    constexpr T as() const {
        if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, bf16> ||
                      std::is_same_v<T, f16>) {
            return static_cast<T>(real);
        } else if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::uint64_t>(whole));
        } else {
            using part = typename T::value_type;
            return T(static_cast<part>(real), static_cast<part>(imaginary));
        }
    }
};

}  // namespace ricci::engine
