// Tensors that own their memory: extents at run time; <ricci/fixed_tensor.hpp> has them in the
// type.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/element_storage.hpp>
#include <ricci/detail/owner.hpp>
#include <ricci/detail/values.hpp>
#include <ricci/element.hpp>
#include <ricci/extents.hpp>
#include <ricci/fixed_tensor.hpp>
#include <ricci/view.hpp>

namespace ricci {

/// Owns `Rank` axes of elements, row-major, 64-byte aligned, zeroed at construction. Moves; copies
/// only by clone(). A moved-from tensor may only be assigned to or destroyed.
///
/// A list in parentheses is the extents, tensor<double, 2> a({2, 3}); braces hold the values,
/// tensor<double, 2> a = {{1, 2, 3}, {4, 5, 6}}, and tensor<double, 0> s = 3.
template <class T, int Rank>
class tensor : public detail::owner_of_elements<tensor<T, Rank>, T, Rank> {
    using values = detail::value_list<T, Rank>;
    static_assert(element_of<T>::supported, RICCI_ELEMENT_TYPES);
    static_assert(Rank >= 0, "a rank is not negative");

public:
    using element_type = T;
    static constexpr int rank = Rank;

    /// A scalar for rank 0, otherwise a tensor without elements.
    tensor() {
        detail::row_major(extents_, strides_);
        if constexpr (Rank == 0) storage_ = {extents_.data(), Rank};
    }
    /// tensor<float, 2> X({n, 512}). Throws ricci::error when the size overflows.
    explicit tensor(const detail::extent_value (&extents)[Rank > 0 ? Rank : 1]) requires(Rank > 0)
        : tensor(detail::sizes(extents)) {}
    /// The same from an array.
    template <class I>
    explicit tensor(const std::array<I, Rank>& extents)
        : extents_(detail::extent_list<Rank>(extents).values) {
        detail::row_major(extents_, strides_);
        storage_ = {extents_.data(), Rank};
    }
    /// For rank 1 a better match than values: tensor<float, 1> v({n}). The empty pack keeps it out
    /// of the constructors that `= {...}` asks first, those of one list and nothing else.
    template <std::integral I, class... None>
    requires(Rank == 1 && sizeof...(None) == 0) explicit tensor(std::initializer_list<I> extents,
                                                                None...)
        : tensor(std::array<I, 1>{detail::only_extent(extents)}) {}

    /// Values of any number types that T holds, a level of braces for each axis; the extents are as
    /// many as there are. Throws ricci::error for ragged lists, and for {{2, 3}} and {3} of whole
    /// numbers, which could be extents: x({2, 3}) are extents, and an assignment takes values
    /// alone.
    tensor(const values& v) requires(Rank > 0)  // NOLINT: implicit, = {{1, 2}, {3, 4}}
        : tensor(detail::lengths<Rank>(v)) {
        detail::check_no_extents<Rank>(v);
        detail::write_values(data(), v);
    }
    template <detail::value_for<T> V>
    requires(Rank == 0) tensor(const V& value)  // NOLINT: implicit, = 3
        : tensor() {
        *data() = detail::converted<T>(value);
    }
    /// Values into the memory that is there, or into other memory where extents differ.
    tensor& operator=(const values& v) requires(Rank > 0) {
        const auto extents = detail::lengths<Rank>(v);
        if (data() == nullptr || extents != extents_) *this = tensor(extents);
        detail::write_values(data(), v);
        return *this;
    }
    template <detail::value_for<T> V>
    requires(Rank == 0) tensor& operator=(const V& value) {
        if (data() == nullptr) *this = tensor();
        *data() = detail::converted<T>(value);
        return *this;
    }

    tensor(tensor&&) noexcept = default;
    tensor& operator=(tensor&&) noexcept = default;
    // Never there, so that the next ones are found and say what to write.
    tensor(const tensor&) requires(Rank < 0) = default;
    tensor& operator=(const tensor&) requires(Rank < 0) = default;
    template <detail::same_tensor<tensor> Other,
              class Mistake = detail::mistake_of<detail::copied_tensor>>
    tensor(Other&) = delete;
    template <detail::same_tensor<tensor> Other,
              class Mistake = detail::mistake_of<detail::copied_tensor>>
    tensor& operator=(Other&) = delete;

    /// A copy with memory of its own.
    tensor clone() const {
        tensor copy(extents_);
        for (std::size_t k = 0, n = size(); k < n; ++k) copy.data()[k] = data()[k];
        return copy;
    }

    T* data() { return storage_.get(); }
    const T* data() const { return storage_.get(); }
    std::size_t size() const { return detail::product(extents_); }
    std::size_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
    const std::array<std::size_t, Rank>& extents() const { return extents_; }
    const std::array<std::ptrdiff_t, Rank>& strides() const { return strides_; }

    tensor_view<T, Rank> view() { return {data(), extents_, strides_}; }
    tensor_view<const T, Rank> view() const { return {data(), extents_, strides_}; }
    operator tensor_view<T, Rank>() { return view(); }
    operator tensor_view<const T, Rank>() const { return view(); }

    /// The element at the given position of each axis; not checked.
    template <class... Index>
    requires(sizeof...(Index) == Rank) T& operator()(Index... index) { return view()(index...); }
    template <class... Index>
    requires(sizeof...(Index) == Rank) const T& operator()(Index... index) const {
        return view()(index...);
    }

private:
    friend detail::watch_of;
    std::array<std::size_t, Rank> extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
    detail::element_storage<T> storage_;
};

template <class T, int Rank>
tensor<std::remove_const_t<T>, Rank> tensor_view<T, Rank>::clone() const {
    tensor<std::remove_const_t<T>, Rank> copy(extents_);
    std::remove_const_t<T>* to = copy.data();
    for (const T& element : *this) *to++ = element;
    return copy;
}

/// A number as a tensor of these extents, none of which is stored; of a variable, which is read
/// when the view is: ricci::broadcast(one, {n, m}).
template <class T, std::size_t N>
requires(element_of<T>::supported) tensor_view < const T, static_cast<int>(N)
> broadcast(const T& number, const detail::extent_value (&extents)[N]) {
    return tensor_view<const T, 0>(&number, {}).broadcast(extents);
}
template <class T, std::size_t N>
requires(element_of<T>::supported) void broadcast(
    const T&& number, const detail::extent_value (&extents)[N]) = delete;

}  // namespace ricci
