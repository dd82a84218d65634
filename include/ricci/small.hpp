// Contractions of small tensors whose extents are in their types, compiled in the user's file: no
// call into the library, no allocation, loops that the compiler unrolls for the flags it is given.
// Where this header is included, ricci::einsum of two or three fixed tensors of one real type gives
// a fixed tensor, and takes that way when the product is small and the text is letters and an
// arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/detail/inline.hpp>
#include <ricci/einsum.hpp>
#include <ricci/small/plan.hpp>

namespace ricci {
namespace small {

template <std::size_t... Extents>
struct shape_of {
    static constexpr axes shape = [] {
        axes out;
        (out.add('\0', Extents), ...);
        return out;
    }();
};
/// The fixed tensor with these axes.
template <class T, class Axes, std::size_t... K>
auto fixed_of(std::index_sequence<K...>) -> fixed_tensor<T, Axes::shape.extent[K]...>;

template <class T, class Plan>
using result_of = decltype(fixed_of<T, typename Plan::result>(
    std::make_index_sequence<Plan::text.result.rank>{}));

template <detail::literal_text Text, class T, class... Shapes, class... Operands>
RICCI_INLINE auto einsum(const Operands&... operands) {
    using plan = small::plan<Text, Shapes...>;
    if constexpr (plan::text.plain) {
        result_of<T, plan> out(uninitialised{});
        if constexpr (plan::fits) {
            const T* const all[] = {operands.data()...};
            plan::run(all, out.data());
        } else {
            einsum_into<Text>(out, operands...);
        }
        return out;
    } else {
        return detail::einsum_for<Text, void, Operands...>::run(operands...);
    }
}

}  // namespace small

/// The einsum of two or three fixed tensors of float or double, as a fixed tensor: without a call
/// into the library up to some 32 x 32 x 32 multiplications. What is wrong goes on to the einsum of
/// any tensors, where it is said. A text with an implied result or an ellipsis gives a tensor, as
/// everywhere else.
template <detail::literal_text Text, class T, std::size_t... A, std::size_t... B>
requires(std::is_floating_point_v<T> &&
         !detail::is_a_mistake<
             detail::mistake_in_einsum<Text, void, fixed_tensor<T, A...>, fixed_tensor<T, B...>>>)
    RICCI_INLINE auto einsum(const fixed_tensor<T, A...>& a, const fixed_tensor<T, B...>& b) {
    return small::einsum<Text, T, small::shape_of<A...>, small::shape_of<B...>>(a, b);
}
template <detail::literal_text Text, class T, std::size_t... A, std::size_t... B, std::size_t... C>
requires(std::is_floating_point_v<T> &&
         !detail::is_a_mistake<detail::mistake_in_einsum<
             Text, void, fixed_tensor<T, A...>, fixed_tensor<T, B...>, fixed_tensor<T, C...>>>)
    RICCI_INLINE auto einsum(const fixed_tensor<T, A...>& a, const fixed_tensor<T, B...>& b,
                             const fixed_tensor<T, C...>& c) {
    return small::einsum<Text, T, small::shape_of<A...>, small::shape_of<B...>,
                         small::shape_of<C...>>(a, b, c);
}

}  // namespace ricci
