// The two 16-bit floating-point types: stored with exact conversions, computed with in float.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace ricci {
namespace detail {

/// The bits of the 16-bit format with `Exponent` bits of exponent nearest to `value`; ties go to
/// even, what is too large becomes infinity, subnormal numbers are kept, NaN stays a quiet NaN.
template <int Exponent>
constexpr std::uint16_t narrowed(float value) {
    constexpr int mantissa = 15 - Exponent;
    constexpr int bias = (1 << (Exponent - 1)) - 1;
    constexpr std::uint32_t infinity = ((1u << Exponent) - 1) << mantissa;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const std::uint32_t size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | infinity | (1u << (mantissa - 1)) |
                                          (size >> (23 - mantissa) & ((1u << mantissa) - 1)));
    const auto exponent = static_cast<int>(size >> 23) - 127 + bias;
    // The significand, and how many of its low bits are to be rounded away.
    std::uint32_t significand = size;
    int dropped = 23 - mantissa;
    if constexpr (Exponent < 8) {
        significand -= static_cast<std::uint32_t>(127 - bias) << 23;
        if (exponent <= 0) {
            significand = (size & 0x7fffffu) | 0x800000u;
            dropped += 1 - exponent;
            if (dropped > 24) return static_cast<std::uint16_t>(sign);
        }
    }
    const std::uint32_t half = 1u << (dropped - 1);
    const std::uint32_t odd = significand >> dropped & 1u;
    std::uint32_t rounded = (significand + half - 1 + odd) >> dropped;
    if (rounded > infinity || exponent >= (1 << Exponent)) rounded = infinity;
    return static_cast<std::uint16_t>(sign | rounded);
}

/// The same of a double, rounded once: on the way through float, a bit remembers what was cut off.
template <int Exponent>
constexpr std::uint16_t narrowed(double value) {
    auto nearest = static_cast<float>(value);
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    const double back = nearest;
    if (back != value && back == back && (bits & 1u) == 0) {
        const bool away = value < 0 ? back < value : back > value;
        nearest = std::bit_cast<float>(away ? bits - 1 : bits | 1u);
    }
    return narrowed<Exponent>(nearest);
}

/// The value of such bits; exact.
template <int Exponent>
constexpr float widened(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    if constexpr (Exponent == 8) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    } else {
        constexpr int mantissa = 15 - Exponent;
        constexpr int bias = (1 << (Exponent - 1)) - 1;
        const std::uint32_t size = bits & 0x7fffu;
        const std::uint32_t exponent = size >> mantissa;
        std::uint32_t wide = size << (23 - mantissa);
        if (exponent == (1u << Exponent) - 1) {
            wide |= 0x7f800000u;
        } else if (exponent != 0) {
            wide += static_cast<std::uint32_t>(127 - bias) << 23;
        } else {
            // A subnormal number is its bits, counted in the smallest one.
            const float unit =
                std::bit_cast<float>(static_cast<std::uint32_t>(127 + 1 - bias - mantissa) << 23);
            wide = std::bit_cast<std::uint32_t>(static_cast<float>(size) * unit);
        }
        return std::bit_cast<float>(sign | wide);
    }
}

/// A 16-bit floating-point number with `Exponent` bits of exponent. Converts from and to numbers
/// without being asked, so that expressions are computed in float (or in double, beside one).
/// Conversions from float and double round to nearest, ties to even. Zero unless given a value. As
/// it converts both ways, `c ? h : 1.0f` names no type: write `c ? float(h) : 1.0f`.
template <int Exponent>
class half {
public:
    constexpr half() = default;
    constexpr half(float value) : bits_(narrowed<Exponent>(value)) {}   // NOLINT: as numbers do
    constexpr half(double value) : bits_(narrowed<Exponent>(value)) {}  // NOLINT
    template <std::integral I>
    constexpr half(I value)  // NOLINT
        : bits_(narrowed<Exponent>(static_cast<double>(value))) {}
    constexpr operator float() const { return widened<Exponent>(bits_); }  // NOLINT

    /// The number with these bits.
    static constexpr half from_bits(std::uint16_t bits) {
        half h;
        h.bits_ = bits;
        return h;
    }
    constexpr std::uint16_t bits() const { return bits_; }

    constexpr half operator-() const {
        return from_bits(static_cast<std::uint16_t>(bits_ ^ 0x8000u));
    }
    constexpr half& operator+=(float x) { return *this = half(float(*this) + x); }
    constexpr half& operator-=(float x) { return *this = half(float(*this) - x); }
    constexpr half& operator*=(float x) { return *this = half(float(*this) * x); }
    constexpr half& operator/=(float x) { return *this = half(float(*this) / x); }

private:
    std::uint16_t bits_ = 0;
};

}  // namespace detail

/// bfloat16: the upper half of a float. 8 bits of exponent, 8 significant bits.
using bf16 = detail::half<8>;
/// IEEE 754 binary16. 5 bits of exponent, 11 significant bits, 65504 is the largest number.
using f16 = detail::half<5>;

}  // namespace ricci
