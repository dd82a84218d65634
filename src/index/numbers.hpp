// Numbers in memory as places of an axis, and the loops that go over them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ricci/element.hpp>

namespace ricci::elementwise {

inline constexpr std::int64_t most_loops_of_lookups = 32;

/// A number that is no place of its axis.
struct stray_number {
    std::int32_t lookup = -1;  // none when negative
    double value = 0;
    bool found() const { return lookup >= 0; }
};

inline bool can_be_place(element type) {
    return type == element::i32 || type == element::i64 || type == element::f32 ||
           type == element::f64;
}

inline double number_at(const void* base, element type, std::int64_t at) {
    switch (type) {
        case element::i32:
            return static_cast<double>(static_cast<const std::int32_t*>(base)[at]);
        case element::i64:
            return static_cast<double>(static_cast<const std::int64_t*>(base)[at]);
        case element::f32:
            return static_cast<double>(static_cast<const float*>(base)[at]);
        default:
            return static_cast<const double*>(base)[at];
    }
}

/// The number as a place of an axis of this extent; -1: it is none.
inline std::int64_t place_of(std::int64_t x, std::int64_t extent) {
    return x >= 0 && x < extent ? x : -1;
}
inline std::int64_t place_of(std::int32_t x, std::int64_t extent) {
    return place_of(std::int64_t{x}, extent);
}
inline std::int64_t place_of(double x, std::int64_t extent) {
    const bool inside = x >= 0 && x < static_cast<double>(extent) && std::floor(x) == x;
    return inside ? static_cast<std::int64_t>(x) : -1;
}
inline std::int64_t place_of(float x, std::int64_t extent) {
    return place_of(static_cast<double>(x), extent);
}
inline std::int64_t place_at(const void* base, element type, std::int64_t at, std::int64_t extent) {
    if (type == element::i32) return place_of(static_cast<const std::int32_t*>(base)[at], extent);
    if (type == element::i64) return place_of(static_cast<const std::int64_t*>(base)[at], extent);
    return place_of(number_at(base, type, at), extent);
}

/// Calls f with the address of numbers of this type.
template <class F>
auto with_numbers(element type, const void* base, F f) {
    switch (type) {
        case element::i32:
            return f(static_cast<const std::int32_t*>(base));
        case element::i64:
            return f(static_cast<const std::int64_t*>(base));
        case element::f32:
            return f(static_cast<const float*>(base));
        default:
            return f(static_cast<const double*>(base));
    }
}

/// Whether the element of a condition is not 0.
inline bool is_true_at(const void* base, element type, std::int64_t at) {
    const auto size = static_cast<std::int64_t>(size_of(type));
    const auto* const value = static_cast<const std::byte*>(base) + at * size;
    return std::any_of(value, value + size, [](std::byte b) { return b != std::byte{0}; });
}

/// The values of the first `count` of some loops, slowest first.
struct loop_counters {
    std::array<std::int64_t, most_loops_of_lookups> at;  // the first of them, which count
    std::size_t count = 0;

    loop_counters(const std::vector<std::int64_t>& extents, std::size_t loops, std::int64_t number)
        : count(loops) {
        for (std::size_t k = loops; k-- > 1;) {
            at[k] = number % extents[k];
            number /= extents[k];
        }
        if (loops > 0) at[0] = number;
    }
    void next(const std::vector<std::int64_t>& extents) {
        for (std::size_t k = count; k-- > 0;) {
            if (++at[k] < extents[k]) return;
            at[k] = 0;
        }
    }
    std::int64_t along(const std::vector<std::int64_t>& strides) const {
        std::int64_t total = 0;
        for (std::size_t k = 0; k < count; ++k) total += at[k] * strides[k];
        return total;
    }
};

}  // namespace ricci::elementwise
