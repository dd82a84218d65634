// What tensors that own their memory have in common: parts of them as views, going over elements.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/values.hpp>
#include <ricci/extents.hpp>

namespace ricci::detail {

/// Why a tensor is not copied.
struct copied_tensor {
    static constexpr text_view text() {
        return "a tensor is not copied by itself: write x.clone() for a copy, auto& for a "
               "reference, std::move(x) to hand it over";
    }
};
/// A tensor itself, whether it may be written or not.
template <class T, class Tensor>
concept same_tensor = std::is_same_v<std::remove_const_t<T>, Tensor>;

/// Why a tensor without a name has no views.
struct view_of_a_temporary {
    static constexpr text_view text() {
        return "this is a view of a tensor that is gone when the statement ends: give the tensor a "
               "name first";
    }
};

/// The base of a tensor class. What gives views is as tensor_view has it, of elements that may be
/// written where the tensor may; never of a temporary tensor, which is refused first: a compiler
/// shows the candidates in their order.
template <class Tensor, class T, int Rank>
class owner_of_elements {
    Tensor& self() { return static_cast<Tensor&>(*this); }
    const Tensor& self() const { return static_cast<const Tensor&>(*this); }
    using gone = view_of_a_temporary;
    using offset = std::ptrdiff_t;

public:
    /// Positions `first`, `first + step`, ... of an axis, all before `last`; the rank stays.
    template <class Mistake = mistake_of<gone>>
    auto slice(int, offset, offset, offset = 1) && = delete;
    auto slice(int axis, offset first, offset last, offset step = 1) & {
        return self().view().slice(axis, first, last, step);
    }
    auto slice(int axis, offset first, offset last, offset step = 1) const& {
        return self().view().slice(axis, first, last, step);
    }

    /// One position of an axis, which is dropped: {4, 5, 6}, at(1, 2) -> {4, 6}.
    template <class Mistake = mistake_of<gone>>
    auto at(int, offset) && = delete;
    auto at(int axis, offset position) & { return self().view().at(axis, position); }
    auto at(int axis, offset position) const& { return self().view().at(axis, position); }

    /// Of rank 1 an element, not checked. Else the view x.at(0, i), which is checked.
    template <class Mistake = mistake_of<gone>>
    requires(Rank > 1) auto operator[](offset) && = delete;
    decltype(auto) operator[](offset i) & { return self().view()[i]; }
    decltype(auto) operator[](offset i) const& { return self().view()[i]; }

    /// An axis backwards.
    template <class Mistake = mistake_of<gone>>
    auto reversed(int) && = delete;
    auto reversed(int axis) & { return self().view().reversed(axis); }
    auto reversed(int axis) const& { return self().view().reversed(axis); }

    /// Axis k of the result is axis order[k]: {4, 5, 6}, permuted({2, 0, 1}) -> {6, 4, 5}.
    template <class Mistake = mistake_of<gone>>
    auto permuted(const axis_list<Rank>&) && = delete;
    auto permuted(const axis_list<Rank>& order) & { return self().view().permuted(order); }
    auto permuted(const axis_list<Rank>& order) const& { return self().view().permuted(order); }

    /// {n, m} -> {m, n}.
    template <class Mistake = mistake_of<gone>>
    auto transposed() && = delete;
    auto transposed() & requires(Rank == 2) { return self().view().transposed(); }
    auto transposed() const& requires(Rank == 2) { return self().view().transposed(); }

    /// The same elements in the same order under other extents, of which one may be -1 and is
    /// found: {6, 4}, reshaped({2, 3, -1}) -> {2, 3, 4}.
    template <std::size_t N, class Mistake = mistake_of<gone>>
    auto reshaped(const extent_value (&)[N]) && = delete;
    template <class I, std::size_t N, class Mistake = mistake_of<gone>>
    auto reshaped(const std::array<I, N>&) && = delete;
    template <std::size_t N>
    auto reshaped(const extent_value (&extents)[N]) & {
        return self().view().reshaped(extents);
    }
    template <std::size_t N>
    auto reshaped(const extent_value (&extents)[N]) const& {
        return self().view().reshaped(extents);
    }
    template <class I, std::size_t N>
    auto reshaped(const std::array<I, N>& extents) & {
        return self().view().reshaped(extents);
    }
    template <class I, std::size_t N>
    auto reshaped(const std::array<I, N>& extents) const& {
        return self().view().reshaped(extents);
    }

    /// numpy's broadcast_to: axes of extent 1 and new ones in front are repeated without being
    /// stored, {3, 1}, broadcast({2, 3, 4}) -> {2, 3, 4}. To be read only: places share an element.
    template <std::size_t N, class Mistake = mistake_of<gone>>
    auto broadcast(const extent_value (&)[N]) && = delete;
    template <class I, std::size_t N, class Mistake = mistake_of<gone>>
    auto broadcast(const std::array<I, N>&) && = delete;
    template <std::size_t N>
    auto broadcast(const extent_value (&extents)[N]) const& {
        return self().view().broadcast(extents);
    }
    template <class I, std::size_t N>
    auto broadcast(const std::array<I, N>& extents) const& {
        return self().view().broadcast(extents);
    }

    /// A new axis, along which everything is the same: {4, 6}, expanded(1, 5) -> {4, 5, 6}. To be
    /// read only.
    template <class Mistake = mistake_of<gone>>
    auto expanded(int, offset = 1) && = delete;
    auto expanded(int axis, offset extent = 1) const& {
        return self().view().expanded(axis, extent);
    }

    /// Elements in row-major order, as they lie in memory.
    T* begin() { return self().data(); }
    T* end() { return self().data() + self().size(); }
    const T* begin() const { return self().data(); }
    const T* end() const { return self().data() + self().size(); }
    const T* cbegin() const { return begin(); }
    const T* cend() const { return end(); }
    /// Sets all elements.
    void fill(element_value<T> value) {
        for (T& element : *this) element = value.value;
    }
};

}  // namespace ricci::detail
