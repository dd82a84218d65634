// The product of two small tensors whose axes are in their types, in the way that suits them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ricci/detail/inline.hpp>
#include <ricci/small/axes.hpp>
#include <ricci/small/kernel.hpp>
#include <ricci/small/unrolled.hpp>

namespace ricci::small {

template <class A, class B, class C, vectors_along Along>
struct product {
    static constexpr nest loops{A::shape, B::shape, C::shape, Along};
};

/// Copies a tensor to another order of its axes.
template <class From, class To, class T, std::size_t Depth = 0>
RICCI_INLINE void copy_to(const T* from, T* to) {
    if constexpr (Depth < To::shape.rank) {
        constexpr char letter = To::shape.letter[Depth];
        for (std::size_t k = 0; k < To::shape.extent[Depth]; ++k)
            copy_to<From, To, T, Depth + 1>(from + k * From::shape.stride_of(letter),
                                            to + k * To::shape.stride_of(letter));
    } else {
        *to = *from;
    }
}

/// The ways to multiply A by B. Where vectors run along rows and columns, they do so along the
/// operand that lets more rows use its vectors again.
template <class A, class B, class C, class T>
struct ways {
    using along_columns = product<A, B, C, vectors_along::columns>;
    using along_both = product<A, B, C, vectors_along::rows_and_columns>;
    using swapped = product<B, A, C, vectors_along::rows_and_columns>;
    static constexpr bool swap = swapped::loops.rows.extent > along_both::loops.rows.extent;

    using looped = kernel<along_columns, T>;
    using unrolled = unrolled_kernel<along_columns, T>;
    using woven = unrolled_kernel<std::conditional_t<swap, swapped, along_both>, T>;

    static constexpr bool rows_are_short = woven::loops.woven.extent > 1 &&
                                           woven::loops.columns.extent * sizeof(T) < vector_bytes;
    /// Whether vectors run along both.
    static constexpr bool weave =
        lanes_move && rows_are_short && woven::is_little_work() && woven::lanes_come_together();
    /// Whether an operand that is not contiguous along the columns is put in order in registers,
    /// not copied.
    static constexpr bool unroll = unrolled::is_little_work() && unrolled::rows_are_one_tile();
};

/// c = sum of a b; A, B and C hold the axes as `shape`.
template <class A, class B, class C, class T>
RICCI_INLINE void multiply(const T* a, const T* b, T* c) {
    constexpr char column = C::shape.rank > 0 ? C::shape.letter[C::shape.rank - 1] : '\0';
    constexpr std::size_t a_step = A::shape.stride_of(column), b_step = B::shape.stride_of(column);
    using way = ways<A, B, C, T>;
    if constexpr (way::weave) {
        if constexpr (way::swap) way::woven::run(b, a, c);
        else way::woven::run(a, b, c);
    } else if constexpr (b_step == 0 && a_step != 0) {
        multiply<B, A, C>(b, a, c);  // vectors run along the second operand
    } else if constexpr (a_step <= 1 && b_step <= 1) {
        way::looped::run(a, b, c);
    } else if constexpr (way::unroll) {
        way::unrolled::run(a, b, c);
    } else if constexpr (a_step > 1) {
        using copied = arranged<A, column>;
        alignas(64) T copy[copied::shape.size()];
        copy_to<A, copied>(a, copy);
        multiply<copied, B, C>(static_cast<const T*>(copy), b, c);
    } else {
        using copied = arranged<B, column>;
        alignas(64) T copy[copied::shape.size()];
        copy_to<B, copied>(b, copy);
        multiply<A, copied, C>(a, static_cast<const T*>(copy), c);
    }
}

}  // namespace ricci::small
