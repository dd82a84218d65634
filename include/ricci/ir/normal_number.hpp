// Arithmetic of constants while they are folded: roots, powers, and when two count as equal.
#pragma once

#include <cstdint>

namespace ricci::ir {

constexpr bool is_whole(double x) {
    return x > -1e9 && x < 1e9 && static_cast<double>(static_cast<std::int64_t>(x)) == x;
}

constexpr bool nearly_equal(double a, double b) {
    if (a == b) return true;
    const double difference = a < b ? b - a : a - b;
    const double size = (a < 0 ? -a : a) + (b < 0 ? -b : b);
    return difference <= 1e-12 * size;
}

/// Square root in constant expressions; only for non-negative numbers.
constexpr double square_root(double x) {
    if (x == 0 || x != x || x == __builtin_inf()) return x;
    double y = x < 1 ? 1 : x;
    for (double next = (y + x / y) / 2; next < y; next = (y + x / y) / 2) y = next;
    return y;
}

/// base^exponent in constant expressions for whole and half exponents; false for others.
constexpr bool constant_power(double base, double exponent, double& out) {
    const bool half = !is_whole(exponent) && is_whole(2 * exponent);
    if ((!is_whole(exponent) && !half) || (half && base < 0) || exponent > 512 || exponent < -512)
        return false;
    if (base == 0 && exponent < 0) return false;
    const double root = half ? square_root(base) : base;
    auto times = static_cast<std::int64_t>(half ? 2 * exponent : exponent);
    const bool inverse = times < 0;
    if (inverse) times = -times;
    double value = 1;
    for (std::int64_t k = 0; k < times; ++k) value *= root;
    out = inverse ? 1 / value : value;
    return true;
}

}  // namespace ricci::ir
