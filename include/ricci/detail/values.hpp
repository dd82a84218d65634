// Values as a program writes them, {{1, 2}, {3, 4}}: one in a list, and lists of lists.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include <ricci/detail/export.hpp>

namespace ricci::detail {

/// Whether V may stand where an element T is wanted: whatever converts, but no fraction for a whole
/// number and nothing but a truth value for one.
template <class V, class T>
concept value_for = std::is_same_v<V, T> ||
    (!std::is_same_v<T, bool> && std::constructible_from<T, V> &&
     (std::integral<V> || !std::integral<T>)&&!std::is_array_v<V>);

template <class T, class V>
constexpr T converted(const V& value) {
    if constexpr (std::is_arithmetic_v<V> && requires { typename T::value_type; })
        return T(static_cast<typename T::value_type>(value));  // the real part of a complex number
    else return static_cast<T>(value);
}

/// One value in a list, of any type that converts: braces alone refuse {1, 0.5} as narrowing.
/// Unsigned numbers are no values: where they stand in braces, as in x{{n, m}}, they are extents.
template <class T>
struct element_value {
    T value;
    bool whole;  // written as a whole number, as an extent might be
    template <value_for<T> V>
    requires(!std::unsigned_integral<V> ||
             std::is_same_v<V, bool>) constexpr element_value(const V& v)  // NOLINT: implicit
        : value(converted<T>(v)), whole(std::integral<V> && !std::is_same_v<V, bool>) {}
};

template <class T, int Rank>
struct list_of_values {
    using type = std::initializer_list<typename list_of_values<T, Rank - 1>::type>;
};
template <class T>
struct list_of_values<T, 0> {
    using type = element_value<T>;
};
/// `Rank` levels of braces around values.
template <class T, int Rank>
using value_list = typename list_of_values<T, Rank>::type;

/// Throws: lists on one level are not of one length.
RICCI_EXPORT [[noreturn]] void throw_ragged(int axis, std::size_t first, std::size_t other);

/// Throws: {{2, 3}} for rank 2 and {3} for rank 1 are values and extents as well.
RICCI_EXPORT [[noreturn]] void throw_values_or_extents(int rank);
/// Refuses values that could have been meant for extents: x{{2, 3}} and x = {{2, 3}} are the same
/// to a constructor.
template <int Rank, class List>
void check_no_extents(const List& list) {
    bool either = false;
    if constexpr (Rank == 1) either = list.size() == 1 && list.begin()->whole;
    if constexpr (Rank == 2) {
        either = list.size() == 1 && list.begin()->size() == 2;
        if (either)
            for (const auto& one : *list.begin()) either = either && one.whole;
    }
    if (either) throw_values_or_extents(Rank);
}

/// Throws: so many extents for the one axis of a tensor.
RICCI_EXPORT [[noreturn]] void throw_extents_of_rank_1(std::size_t count);
template <class I>
I only_extent(const std::initializer_list<I>& extents) {
    if (extents.size() != 1) throw_extents_of_rank_1(extents.size());
    return *extents.begin();
}

/// Whether every list is as long as `extents` says; throws if one is not.
template <int Rank, int Axis, class List>
void check_lengths(const List& list, const std::array<std::size_t, Rank>& extents) {
    if (list.size() != extents[Axis]) throw_ragged(Axis, extents[Axis], list.size());
    if constexpr (Axis + 1 < Rank)
        for (const auto& inner : list) check_lengths<Rank, Axis + 1>(inner, extents);
}
template <int Axis, class List, class Extents>
void first_lengths(const List& list, Extents& extents) {
    extents[Axis] = list.size();
    if constexpr (requires { list.begin()->begin(); })
        if (list.size() > 0) first_lengths<Axis + 1>(*list.begin(), extents);
}
/// How many lists and values there are on each level. Throws ricci::error for ragged lists.
template <int Rank, class List>
std::array<std::size_t, Rank> lengths(const List& list) {
    std::array<std::size_t, Rank> extents{};
    first_lengths<0>(list, extents);
    check_lengths<Rank, 0>(list, extents);
    return extents;
}

/// Writes the values of lists or arrays of any depth one after the other; gives where they end.
template <class T>
T* write_values(T* to, const element_value<T>& one) {
    *to = one.value;
    return to + 1;
}
template <class T, class List>
T* write_values(T* to, const List& list) {
    for (const auto& inner : list) to = write_values(to, inner);
    return to;
}

/// element_value<T>[A][B]...: what {{...}, ...} of known extents has to fit.
template <class T, std::size_t... Extents>
struct array_of_values {
    using type = element_value<T>;
};
template <class T, std::size_t First, std::size_t... Rest>
struct array_of_values<T, First, Rest...> {
    using type = typename array_of_values<T, Rest...>::type[First];
};

}  // namespace ricci::detail
