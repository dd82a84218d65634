// The exponents of two that tensors of a scaled network have beside their elements, and the range
// that the elements are kept in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <ricci/element.hpp>

namespace ricci::networks {

/// What has no exponent: a block in which nothing is finite but zeros. Two of them can be added.
inline constexpr std::int64_t no_exponent = INT64_MIN / 4;

/// Between which powers of two the largest magnitude of an intermediate is kept. A product of two
/// tensors at the top, and the sum of as many terms as a tensor has, does not overflow; what is
/// kept beside the largest element reaches down to the smallest number from at least 1.
struct kept_range {
    std::int64_t top = 480;
    /// Of operands, which are read as they are where that is safe: what the products of two of them
    /// lose at the bottom is far below what their digits reach.
    std::int64_t operand_bottom = -200;
    std::int64_t largest_power = 1023, smallest_power = -1022;  // that are numbers
};

inline kept_range range_of(element type) {
    if (type == element::f32 || type == element::c64) return {44, -20, 127, -126};
    return {};
}

/// The exponent of a magnitude; no_exponent for 0.
template <class T>
std::int64_t exponent_of(T magnitude) {
    return magnitude == 0 ? no_exponent : std::ilogb(magnitude);
}

/// By which power of two a block with this largest exponent is multiplied: by 1 between `bottom`
/// and the top. What is below goes up to the top, and what is above down to `from_above`: of what
/// grows from step to step lower than the top, so that it stays for some of them.
inline std::int64_t shift_into(const kept_range& range, std::int64_t bottom,
                               std::int64_t from_above, std::int64_t exponent) {
    if (exponent == no_exponent || (exponent >= bottom && exponent <= range.top)) return 0;
    const std::int64_t wanted = exponent > range.top ? from_above : range.top;
    return std::clamp(wanted - exponent, range.smallest_power, range.largest_power);
}

/// 2^exponent as two factors, one after the other: together they reach beyond the range of T, so
/// that what becomes smaller than all numbers is 0.
template <class T>
struct power_factors {
    explicit power_factors(std::int64_t exponent, const kept_range& range) {
        const auto one = std::clamp(exponent, range.smallest_power, range.largest_power);
        const auto rest = std::clamp(exponent - one, range.smallest_power, range.largest_power);
        first = std::ldexp(T{1}, static_cast<int>(one));
        second = std::ldexp(T{1}, static_cast<int>(rest));
    }
    T first = 1, second = 1;
};

}  // namespace ricci::networks
