// The loops of a product of two small tensors.
#pragma once

#include <cstddef>

#include <ricci/detail/inline.hpp>
#include <ricci/small/axes.hpp>

namespace ricci::small {

/// One loop: its extent, and how far each tensor moves when it advances by one.
struct loop {
    std::size_t extent, a, b, c;
};

/// Whether vectors run along the last axis of C, or along its last two: short rows of C then share
/// a vector.
enum class vectors_along { columns, rows_and_columns };

/// C = sum of A B as loops. `columns` is over C's last letter and, if it is woven with it, `woven`
/// over the one before; `rows` and `outer` are over the others. Along `rows` B stands still, so
/// that its vectors are used again.
struct nest {
    loop outer[most_labels] = {};
    loop rows{1, 0, 0, 0};
    loop woven{1, 0, 0, 0};
    loop columns{1, 0, 0, 0};
    loop summed[2 * most_labels] = {};
    std::size_t outer_count = 0, summed_count = 0;
    /// How many numbers of A and of B lie ahead wherever the outer loops stand.
    loop reach{};

    constexpr nest(const axes& a, const axes& b, const axes& c, vectors_along along) {
        const auto loop_of = [&](char letter, std::size_t extent) {
            return loop{extent, a.stride_of(letter), b.stride_of(letter), c.stride_of(letter)};
        };
        for (std::size_t k = 0; k < c.rank; ++k) {
            const loop l = loop_of(c.letter[k], c.extent[k]);
            if (k + 1 == c.rank) {
                columns = l;
            } else if (k + 2 == c.rank && along == vectors_along::rows_and_columns) {
                woven = l;
            } else if (l.b == 0 && l.extent > rows.extent) {
                if (rows.extent > 1) outer[outer_count++] = rows;
                rows = l;
            } else {
                outer[outer_count++] = l;
            }
        }
        // No addresses are compared: g++ finds no constant in that under its sanitizers.
        const auto sum_over = [&](const axes& from, const axes& before) {
            for (std::size_t k = 0; k < from.rank; ++k) {
                const char letter = from.letter[k];
                if (c.find(letter) < c.rank || from.find(letter) < k) continue;
                if (before.find(letter) < before.rank) continue;
                summed[summed_count++] = loop_of(letter, from.extent[k]);
            }
        };
        sum_over(a, axes{});
        sum_over(b, a);
        reach = {0, a.size(), b.size(), 0};
        for (std::size_t k = 0; k < outer_count; ++k) {
            reach.a -= (outer[k].extent - 1) * outer[k].a;
            reach.b -= (outer[k].extent - 1) * outer[k].b;
        }
    }

    /// Steps of all summed loops together.
    constexpr std::size_t depth() const {
        std::size_t n = 1;
        for (std::size_t k = 0; k < summed_count; ++k) n *= summed[k].extent;
        return n;
    }
    /// Where A and B are at one of those steps.
    constexpr loop at_depth(std::size_t step) const {
        loop at{1, 0, 0, 0};
        for (std::size_t k = summed_count; k-- > 0; step /= summed[k].extent) {
            at.a += step % summed[k].extent * summed[k].a;
            at.b += step % summed[k].extent * summed[k].b;
        }
        return at;
    }
};

/// Calls body(a, b, c) at every step of the outer loops of `Product`.
template <class Product, std::size_t Depth = 0, class T, class Body>
RICCI_INLINE void over_outer(const T* a, const T* b, T* c, Body body) {
    if constexpr (Depth < Product::loops.outer_count) {
        constexpr loop l = Product::loops.outer[Depth];
        for (std::size_t k = 0; k < l.extent; ++k)
            over_outer<Product, Depth + 1>(a + k * l.a, b + k * l.b, c + k * l.c, body);
    } else {
        body(a, b, c);
    }
}

}  // namespace ricci::small
