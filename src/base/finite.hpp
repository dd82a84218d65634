// Whether numbers are finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <ricci/element.hpp>
#include <ricci/half.hpp>

namespace ricci::detail {

template <class T>
bool are_finite(const void* data, std::size_t count) {
    const auto* const numbers = static_cast<const T*>(data);
    return std::all_of(numbers, numbers + count, [](T x) {
        if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
        else return std::isfinite(static_cast<float>(x));  // of 16 bits
    });
}

/// Of elements without gaps; whole numbers always are.
inline bool are_finite(element type, const void* data, std::size_t count) {
    switch (type) {
        case element::f32:
            return are_finite<float>(data, count);
        case element::f64:
            return are_finite<double>(data, count);
        case element::c64:
            return are_finite<float>(data, 2 * count);
        case element::c128:
            return are_finite<double>(data, 2 * count);
        case element::bf16:
            return are_finite<bf16>(data, count);
        case element::f16:
            return are_finite<f16>(data, count);
        default:
            return true;
    }
}

}  // namespace ricci::detail
