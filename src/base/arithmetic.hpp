// Divisions of whole numbers that round up, for counts of tiles, blocks, vectors and bytes.
#pragma once

#include <concepts>
#include <type_traits>

namespace ricci {

/// How many parts of `size` elements hold `count` elements; the last one may be shorter.
/// count >= 0, size > 0, and count + size must not overflow.
template <std::integral T>
constexpr T ceil_divide(T count, std::type_identity_t<T> size) {
    return (count + size - 1) / size;
}

/// The largest whole number that is not above a / b, of either sign.
template <std::signed_integral T>
constexpr T floor_divide(T a, std::type_identity_t<T> b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

/// The smallest multiple of `unit` that is not below `count`.
template <std::integral T>
constexpr T round_up(T count, std::type_identity_t<T> unit) {
    return ceil_divide(count, unit) * unit;
}

}  // namespace ricci
