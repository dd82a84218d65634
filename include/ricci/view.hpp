// A tensor in somebody else's memory, with any strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/detail/element_iterator.hpp>
#include <ricci/detail/shape_changes.hpp>
#include <ricci/detail/values.hpp>
#include <ricci/extents.hpp>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace ricci {

template <class T, int Rank>
class tensor;

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
    /// Of rank 1 an element, not checked. Else the view x.at(0, i), which is checked.
    constexpr decltype(auto) operator[](std::ptrdiff_t i) const requires(Rank > 0) {
        if constexpr (Rank == 1) return data_[i * strides_[0]];
        else return at(0, i);
    }

    // Parts of the same memory. Axes and positions are counted from 0; what is out of bounds throws
    // ricci::error, which names the axis, its extent and what was asked for.

    /// Positions `first`, `first + step`, ... of an axis, all before `last`; the rank stays.
    tensor_view slice(int axis, std::ptrdiff_t first, std::ptrdiff_t last,
                      std::ptrdiff_t step = 1) const {
        tensor_view v = *this;
        v.data_ += detail::slice_axis(v.changed(), axis, first, last, step);
        return v;
    }
    /// One position of an axis, which is dropped: {4, 5, 6}, at(1, 2) -> {4, 6}.
    tensor_view<T, Rank - 1> at(int axis, std::ptrdiff_t position) const requires(Rank > 0) {
        tensor_view<T, Rank - 1> v;
        v.data_ = data_ + detail::fix_axis(axes(), axis, position, v.changed());
        return v;
    }
    /// An axis backwards.
    tensor_view reversed(int axis) const {
        tensor_view v = *this;
        v.data_ += detail::reverse_axis(v.changed(), axis);
        return v;
    }
    /// Axis k of the result is axis order[k]: {4, 5, 6}, permuted({2, 0, 1}) -> {6, 4, 5}.
    tensor_view permuted(const detail::axis_list<Rank>& order) const {
        tensor_view v(data_, {});
        detail::permute_axes(axes(), order.values.data(), v.changed());
        return v;
    }
    /// {n, m} -> {m, n}.
    constexpr tensor_view transposed() const requires(Rank == 2) {
        return {data_, std::array<std::size_t, 2>{extents_[1], extents_[0]},
                std::array<std::ptrdiff_t, 2>{strides_[1], strides_[0]}};
    }
    /// The same elements in the same order under other extents, of which one may be -1 and is
    /// found: {6, 4}, reshaped({2, 3, -1}) -> {2, 3, 4}. Throws ricci::error where that takes a
    /// copy.
    template <std::size_t N>
    tensor_view<T, static_cast<int>(N)> reshaped(const detail::extent_value (&extents)[N]) const {
        return reshaped(detail::sizes(extents));
    }
    template <class I, std::size_t N>
    tensor_view<T, static_cast<int>(N)> reshaped(const std::array<I, N>& extents) const {
        return with_extents<T, N>(extents, detail::reshape_axes);
    }
    /// numpy's broadcast_to: axes of extent 1 and new ones in front are repeated without being
    /// stored, {3, 1}, broadcast({2, 3, 4}) -> {2, 3, 4}. To be read only: places share an element.
    template <std::size_t N>
    tensor_view<const T, static_cast<int>(N)> broadcast(
        const detail::extent_value (&extents)[N]) const {
        return broadcast(detail::sizes(extents));
    }
    template <class I, std::size_t N>
    tensor_view<const T, static_cast<int>(N)> broadcast(const std::array<I, N>& extents) const {
        return with_extents<const T, N>(extents, detail::broadcast_axes);
    }
    /// A new axis, along which everything is the same: {4, 6}, expanded(1, 5) -> {4, 5, 6}. To be
    /// read only.
    tensor_view<const T, Rank + 1> expanded(int axis, std::ptrdiff_t extent = 1) const {
        tensor_view<const T, Rank + 1> v(data_, {});
        detail::expand_axes(axes(), axis, extent, v.changed());
        return v;
    }

    /// Elements in row-major order, by a forward iterator.
    constexpr auto begin() const {
        return detail::element_iterator<T, Rank>(data_, extents_, strides_);
    }
    constexpr auto end() const { return detail::element_iterator<T, Rank>(size()); }
    constexpr auto cbegin() const { return tensor_view<const T, Rank>(*this).begin(); }
    constexpr auto cend() const { return tensor_view<const T, Rank>(*this).end(); }
    /// Sets all elements.
    constexpr void fill(detail::element_value<T> value) const requires(!std::is_const_v<T>) {
        for (T& element : *this) element = value.value;
    }
    /// A tensor with a copy of the elements, row-major.
    tensor<std::remove_const_t<T>, Rank> clone() const;

private:
    template <class, int>
    friend class tensor_view;
    constexpr detail::axes axes() const { return {extents_.data(), strides_.data(), Rank}; }
    constexpr detail::new_axes changed() { return {extents_.data(), strides_.data(), Rank}; }
    template <class U, std::size_t N>
    auto with_extents(const detail::extent_list<static_cast<int>(N)>& extents,
                      void (*change)(detail::axes, detail::new_axes)) const {
        tensor_view<U, static_cast<int>(N)> v(data_, extents);
        change(axes(), v.changed());
        return v;
    }

    T* data_ = nullptr;
    std::array<std::size_t, Rank> extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
};

}  // namespace ricci
