// What cannot be bound to a name, and why: told from the type alone, so that a call says it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/element.hpp>

namespace ricci::detail {

/// What is bound. `index` is the extent of one; what is unsuitable is no operand, and what is
/// unnamed is bound to no name.
enum class operand_kind : std::uint8_t { tensor, number, index, unsuitable, unnamed };

/// Why what is bound is no operand.
enum class unsuitable : std::uint8_t {
    nothing_wrong,
    nested,     // a container of containers
    pointer,    // says no extents
    elements,   // a container of what is no element type
    scattered,  // a container whose elements do not lie side by side
    bits,       // std::vector<bool>
    matrix,     // has rows and columns, and how they lie in memory is not known
    computed,   // an expression that has no memory
    named,      // bound to a name already
    other,
};

/// Numbers that may stand for a tensor without indices: arithmetic types and element types.
template <class T>
concept bindable_number = std::integral<T> || std::floating_point<T> || element_of<T>::supported;

/// Tensors, fixed tensors and views, and classes derived from them.
template <class T>
concept has_a_rank = requires(T& x) {
    { T::rank } -> std::convertible_to<int>;
    x.view();
};

/// How a class of another library is an operand; specialised by headers such as <ricci/eigen.hpp>,
/// with `why`, `extents`, `temporary<Operand>` and view().
template <class T>
struct foreign_operand {
    static constexpr bool known = false;
};
/// std::ref(c) and std::cref(c) of a number, whose header is not needed here.
template <class X>
concept refers_to_a_number = requires(const X& x) {
    typename X::type;
    { x.get() } -> std::same_as<typename X::type&>;
    requires element_of<std::remove_const_t<typename X::type>>::supported;
};
/// A matrix of another library has `data()` and `size()` too, and may be stored by columns.
template <class T>
concept has_rows = requires(T& x) {
    x.rows();
    x.cols();
};

/// A list of elements that lie side by side: std::vector, std::array, std::span and their like.
template <class T>
concept element_list = !has_a_rank<T> && !has_rows<T> && requires(T & list) {
    { *list.data() } -> std::same_as<std::remove_pointer_t<decltype(list.data())>&>;
    { list.size() } -> std::convertible_to<std::size_t>;
    requires element_of<std::remove_pointer_t<decltype(list.data())>>::supported;
};

template <class T>
concept container = std::is_array_v<T> || requires {
    typename T::value_type;
};
template <class T>
struct element_in {
    using type = typename T::value_type;
};
template <class T, std::size_t Count>
struct element_in<T[Count]> {
    using type = std::remove_cv_t<T>;
};

/// What is wrong with an operand of type T, which is no reference.
template <class T>
consteval unsuitable why_unsuitable() {
    using X = std::remove_cv_t<T>;
    if constexpr (foreign_operand<X>::known) {
        return foreign_operand<X>::why;
    } else if constexpr (bindable_number<X> || has_a_rank<X> || element_list<T> ||
                         refers_to_a_number<X>) {
        return unsuitable::nothing_wrong;
    } else if constexpr (std::is_pointer_v<X>) {
        return unsuitable::pointer;
    } else if constexpr (has_rows<T>) {
        return unsuitable::matrix;
    } else if constexpr (container<X>) {
        using inner = typename element_in<X>::type;
        if constexpr (container<inner> && !element_of<inner>::supported) return unsuitable::nested;
        else if constexpr (std::is_array_v<X> && element_of<inner>::supported)
            return unsuitable::nothing_wrong;
        else if constexpr (!element_of<inner>::supported) return unsuitable::elements;
        else if constexpr (requires(X & x) { x.flip(); }) return unsuitable::bits;
        else return unsuitable::scattered;
    } else if constexpr (requires { X::hash; }) {
        return unsuitable::named;
    } else {
        return unsuitable::other;
    }
}
template <class T>
concept unsuitable_operand = why_unsuitable<std::remove_reference_t<T>>()
!= unsuitable::nothing_wrong;

}  // namespace ricci::detail
