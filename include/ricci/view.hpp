// A tensor in somebody else's memory, with any strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/extents.hpp>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace ricci {

/// `Rank` axes over memory that it does not own. T is const for memory that is only read. Strides
/// count elements and may be 0 or negative; the view says nothing about who keeps the memory alive.
template <class T, int Rank>
class tensor_view {
    static_assert(Rank >= 0, "a rank is not negative");

public:
    using element_type = T;
    static constexpr int rank = Rank;

    constexpr tensor_view() = default;
    /// Row-major, without gaps.
    constexpr tensor_view(T* data, const detail::extent_list<Rank>& extents)
        : data_(data), extents_(extents.values) {
        detail::row_major(extents_, strides_);
    }
    /// Any strides, in elements.
    constexpr tensor_view(T* data, const detail::extent_list<Rank>& extents,
                          const detail::stride_list<Rank>& strides)
        : data_(data), extents_(extents.values), strides_(strides.values) {}
    /// A view to read of a view to write.
    template <class U>
    requires(std::is_same_v<const U, T>) constexpr tensor_view(
        const tensor_view<U, Rank>& other)  // NOLINT: implicit, as pointers do
        : data_(other.data()), extents_(other.extents()), strides_(other.strides()) {}

#ifdef __cpp_lib_mdspan
    template <class U, class Index, std::size_t... E, class Layout>
    requires(
        sizeof...(E) == Rank &&
        (std::is_same_v<U, T> ||
         std::is_same_v<const U,
                        T>)) constexpr tensor_view(const std::mdspan<U, std::extents<Index, E...>,
                                                                     Layout>& span)  // NOLINT
        : data_(span.data_handle()) {
        for (int axis = 0; axis < Rank; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            extents_[a] = static_cast<std::size_t>(span.extent(a));
            strides_[a] = static_cast<std::ptrdiff_t>(span.stride(a));
        }
    }
    constexpr operator std::mdspan<T, std::dextents<std::size_t, Rank>, std::layout_stride>()
        const {
        std::array<std::size_t, Rank> strides{};
        for (std::size_t axis = 0; axis < Rank; ++axis)
            strides[axis] = static_cast<std::size_t>(strides_[axis]);
        return {data_, {std::dextents<std::size_t, Rank>(extents_), strides}};
    }
#endif

    constexpr T* data() const { return data_; }
    constexpr const std::array<std::size_t, Rank>& extents() const { return extents_; }
    constexpr const std::array<std::ptrdiff_t, Rank>& strides() const { return strides_; }
    constexpr std::size_t extent(int axis) const {
        return extents_[static_cast<std::size_t>(axis)];
    }
    constexpr std::ptrdiff_t stride(int axis) const {
        return strides_[static_cast<std::size_t>(axis)];
    }
    constexpr std::size_t size() const { return detail::product(extents_); }
    constexpr tensor_view view() const { return *this; }

    /// The element at the given position of each axis; not checked.
    template <class... Index>
    requires(sizeof...(Index) == Rank) constexpr T& operator()(Index... index) const {
        [[maybe_unused]] const std::ptrdiff_t at[] = {static_cast<std::ptrdiff_t>(index)..., 0};
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = 0; axis < Rank; ++axis) offset += at[axis] * strides_[axis];
        return data_[offset];
    }

private:
    T* data_ = nullptr;
    std::array<std::size_t, Rank> extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
};

}  // namespace ricci
