// What may be bound to a name: tensors, views and numbers, reduced to memory, extents and strides.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/detail/bind/unsuitable.hpp>
#include <ricci/element.hpp>
#include <ricci/engine/number.hpp>
#include <ricci/tensor.hpp>
#include <ricci/view.hpp>

namespace ricci::detail {

/// No extent is in the type.
struct run_time_extents {
    static constexpr bool known = false;
    static constexpr const std::int64_t* list = nullptr;
};

/// Extents that are in the type.
template <std::size_t... Extents>
struct known_extents {
    static constexpr std::int64_t list[] = {static_cast<std::int64_t>(Extents)..., 0};
    static constexpr bool known = true;
};

/// A name with the memory bound to it. T is const where it may only be read; `Temporary` where the
/// memory goes at the end of the full expression.
template <std::uint64_t Hash, class T, int Rank, class Known = run_time_extents,
          bool Temporary = false>
struct bound_tensor {
    using element_type = T;
    static constexpr std::uint64_t hash = Hash;
    static constexpr int rank = Rank;
    static constexpr bool temporary = Temporary;
    using known = Known;

    T* data;
    std::int64_t extents[Rank > 0 ? Rank : 1];
    std::int64_t strides[Rank > 0 ? Rank : 1];
    memory_watch** watch;  // of the tensor that owns the memory, where one does
};

/// A name with a number.
template <std::uint64_t Hash, bool Complex = false>
struct bound_number {
    static constexpr std::uint64_t hash = Hash;
    engine::number value;
};

/// A name with what is no operand; a call says why.
template <std::uint64_t Hash, unsuitable Why>
struct bound_nothing {
    static constexpr std::uint64_t hash = Hash;
    static constexpr int rank = -1;  // not known
};

/// An index with its extent.
template <std::uint64_t Hash>
struct bound_index {
    static constexpr std::uint64_t hash = Hash;
    std::int64_t extent;
};

template <std::uint64_t Hash, class Known = run_time_extents, bool Temporary = false, class T,
          int Rank>
constexpr auto bind_view(const tensor_view<T, Rank>& view, memory_watch** watch = nullptr) {
    bound_tensor<Hash, T, Rank, Known, Temporary> b{};
    b.data = view.data();
    b.watch = watch;
    for (int axis = 0; axis < Rank; ++axis) {
        b.extents[axis] = static_cast<std::int64_t>(view.extent(axis));
        b.strides[axis] = view.stride(axis);
    }
    return b;
}

template <std::uint64_t Hash, class T, int Rank>
constexpr auto bind_operand(const tensor_view<T, Rank>& view) {
    return bind_view<Hash>(view);
}
template <std::uint64_t Hash, class T, int Rank>
constexpr auto bind_operand(tensor<T, Rank>& x) {
    return bind_view<Hash>(x.view(), watch_of(x).place);
}
template <std::uint64_t Hash, class T, int Rank>
constexpr auto bind_operand(const tensor<T, Rank>& x) {
    return bind_view<Hash>(x.view(), watch_of(x).place);
}
template <std::uint64_t Hash, class T, int Rank>
constexpr auto bind_operand(tensor<T, Rank>&& x) {
    return bind_view<Hash, run_time_extents, true>(x.view());
}
template <std::uint64_t Hash, class T, std::size_t... E>
constexpr auto bind_operand(fixed_tensor<T, E...>& x) {
    return bind_view<Hash, known_extents<E...>>(x.view(), watch_of(x).place);
}
template <std::uint64_t Hash, class T, std::size_t... E>
constexpr auto bind_operand(const fixed_tensor<T, E...>& x) {
    return bind_view<Hash, known_extents<E...>>(x.view(), watch_of(x).place);
}
template <std::uint64_t Hash, class T, std::size_t... E>
constexpr auto bind_operand(fixed_tensor<T, E...>&& x) {
    return bind_view<Hash, known_extents<E...>, true>(x.view());
}
/// A list of elements is a tensor of rank 1. One that is no variable may be gone before it is read,
/// if it owns them: std::span and its like, which have an `element_type`, do not.
template <std::uint64_t Hash, class List>
requires element_list<std::remove_reference_t<List>>
constexpr auto bind_operand(List&& list) {
    using T = std::remove_pointer_t<decltype(list.data())>;
    constexpr bool views = requires { typename std::remove_cvref_t<List>::element_type; };
    return bind_view < Hash, run_time_extents,
           !views && !std::is_lvalue_reference_v < List >>
                         (tensor_view<T, 1>(list.data(), {list.size()}));
}
template <std::uint64_t Hash, class T, std::size_t Count>
requires element_of<T>::supported constexpr auto bind_operand(T (&list)[Count]) {
    return bind_view<Hash, known_extents<Count>>(tensor_view<T, 1>(list, {Count}));
}
/// A number that is read at every run of a prepared program, where c alone stays what it was.
template <refers_to_a_number Reference>
struct foreign_operand<Reference> {
    static constexpr bool known = true;
    static constexpr unsuitable why = unsuitable::nothing_wrong;
    using extents = run_time_extents;
    template <class Operand>
    static constexpr bool temporary = false;
    static constexpr auto view(const Reference& number) {
        return tensor_view<typename Reference::type, 0>(&number.get(), {});
    }
};
#ifdef __cpp_lib_mdspan
template <class T, class Extents, class Layout>
struct foreign_operand<std::mdspan<T, Extents, Layout>> {
    static constexpr bool known = true;
    static constexpr unsuitable why =
        element_of<T>::supported ? unsuitable::nothing_wrong : unsuitable::elements;
    using extents = run_time_extents;
    template <class Operand>
    static constexpr bool temporary = false;
    static constexpr auto view(const std::mdspan<T, Extents, Layout>& span) {
        return tensor_view<T, static_cast<int>(Extents::rank())>(span);
    }
};
#endif
/// An operand of a class that says itself how it is one.
template <std::uint64_t Hash, class Operand,
          class Foreign = foreign_operand<std::remove_cvref_t<Operand>>>
requires(Foreign::known&& Foreign::why ==
         unsuitable::nothing_wrong) constexpr auto bind_operand(Operand&& operand) {
    return bind_view<Hash, typename Foreign::extents, Foreign::template temporary<Operand>>(
        Foreign::view(operand));
}
template <std::uint64_t Hash, unsuitable_operand Operand>
constexpr auto bind_operand(Operand&&) {
    return bound_nothing<Hash, why_unsuitable<std::remove_reference_t<Operand>>()>{};
}
template <std::uint64_t Hash, bindable_number Number>
constexpr auto bind_operand(const Number& value) {
    if constexpr (element_of<Number>::supported)
        return bound_number<Hash, is_complex(element_v<Number>)>{value};
    else return bound_number<Hash>{value};
}

}  // namespace ricci::detail
