// Lists of extents and strides as callers write them: {n, 512}, of any integer types.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

namespace ricci::detail {

/// `{n, 512}`: one whole number for each axis. A list of another length does not compile.
template <class Value, int Rank>
struct whole_numbers {
    std::array<Value, Rank> values{};

    constexpr whole_numbers() = default;
    template <std::integral... I>
    requires(sizeof...(I) == Rank && Rank > 0) constexpr whole_numbers(I... list)
        : values{static_cast<Value>(list)...} {}  // NOLINT: {n, 512}
    template <std::integral I>
    constexpr whole_numbers(const std::array<I, Rank>& list) {  // NOLINT
        for (std::size_t axis = 0; axis < Rank; ++axis)
            values[axis] = static_cast<Value>(list[axis]);
    }
};

/// One extent in a braced list: any integer type, without the narrowing that braces refuse.
struct extent_value {
    std::size_t value;
    template <std::integral I>
    constexpr extent_value(I extent)
        : value(static_cast<std::size_t>(extent)) {}  // NOLINT: {n, 512}
};

template <std::size_t N>
constexpr std::array<std::size_t, N> sizes(const extent_value (&extents)[N]) {
    std::array<std::size_t, N> out{};
    for (std::size_t axis = 0; axis < N; ++axis) out[axis] = extents[axis].value;
    return out;
}
template <int Rank>
using extent_list = whole_numbers<std::size_t, Rank>;
template <int Rank>
using stride_list = whole_numbers<std::ptrdiff_t, Rank>;
template <int Rank>
using axis_list = whole_numbers<int, Rank>;

template <std::size_t Rank>
constexpr std::size_t product(const std::array<std::size_t, Rank>& extents) {
    std::size_t n = 1;
    for (std::size_t e : extents) n *= e;
    return n;
}

template <std::size_t Rank>
constexpr void row_major(const std::array<std::size_t, Rank>& extents,
                         std::array<std::ptrdiff_t, Rank>& strides) {
    // Unsigned: of extents that are too large, and refused where they are used, the product wraps.
    std::size_t step = 1;
    for (std::size_t axis = Rank; axis-- > 0;) {
        strides[axis] = static_cast<std::ptrdiff_t>(step);
        step *= extents[axis];
    }
}

}  // namespace ricci::detail
