// A contraction of two or three small tensors: its text with the extents of their types.
#pragma once

#include <cstddef>

#include <ricci/detail/bind/name.hpp>
#include <ricci/detail/inline.hpp>
#include <ricci/small/axes.hpp>
#include <ricci/small/product.hpp>

namespace ricci::small {

/// Products of more multiplications than this are left to the library.
inline constexpr std::size_t most_multiplications = 40000;

/// The text with the extents of the operands' types, and the order of products.
template <detail::literal_text Text, class... Shapes>
struct plan {
    static constexpr std::size_t count = sizeof...(Shapes);

    static constexpr einsum_text make() {
        einsum_text t(Text.view());
        const axes given[] = {Shapes::shape...};
        if (t.operands != count) t.plain = false;
        for (std::size_t k = 0; t.plain && k < count; ++k) {
            if (t.operand[k].rank != given[k].rank) t.plain = false;
            for (std::size_t axis = 0; t.plain && axis < given[k].rank; ++axis)
                t.operand[k].extent[axis] = given[k].extent[axis];
        }
        for (std::size_t axis = 0; t.plain && axis < t.result.rank; ++axis)
            for (std::size_t k = 0; k < count; ++k)
                if (t.operand[k].find(t.result.letter[axis]) < t.operand[k].rank)
                    t.result.extent[axis] = t.operand[k].extent_of(t.result.letter[axis]);
        return t;
    }
    static constexpr einsum_text text = make();

    /// What the product of operands i and j keeps: what the result or the third operand has.
    static constexpr axes product_of(std::size_t i, std::size_t j) {
        const axes &a = text.operand[i], &b = text.operand[j], &other = text.operand[3 - i - j];
        axes out;
        for (const axes* from : {&a, &b})
            for (std::size_t k = 0; k < from->rank; ++k) {
                const char c = from->letter[k];
                const bool kept =
                    text.result.find(c) < text.result.rank || other.find(c) < other.rank;
                if (kept && out.find(c) == out.rank) out.add(c, from->extent[k]);
            }
        return out;
    }
    static constexpr std::size_t multiplications(const axes& a, const axes& b) {
        std::size_t n = 1;
        for (const axes* from : {&a, &b})
            for (std::size_t k = 0; k < from->rank; ++k)
                if (from->find(from->letter[k]) == k &&
                    (from == &a || a.find(from->letter[k]) == a.rank))
                    n *= from->extent[k];
        return n;
    }
    /// Of three operands, the first and the second of the product that leaves `last`.
    static constexpr std::size_t left_of(std::size_t left_out) { return left_out == 0 ? 1 : 0; }
    static constexpr std::size_t right_of(std::size_t left_out) { return left_out == 2 ? 1 : 2; }
    static constexpr std::size_t cost_with_last(std::size_t k) {
        const std::size_t i = left_of(k), j = right_of(k);
        return multiplications(text.operand[i], text.operand[j]) +
               multiplications(product_of(i, j), text.operand[k]);
    }
    static constexpr std::size_t last = [] {
        std::size_t best = 2;
        for (std::size_t k = 0; k < 2; ++k)
            if (cost_with_last(k) < cost_with_last(best)) best = k;
        return best;
    }();
    static constexpr std::size_t cost =
        count == 2 ? multiplications(text.operand[0], text.operand[1]) : cost_with_last(last);
    static constexpr bool fits = text.plain && cost <= most_multiplications && cost > 0 &&
                                 text.result.size() > 0;

    template <std::size_t K>
    struct operand {
        static constexpr axes shape = text.operand[K];
    };
    struct result {
        static constexpr axes shape = text.result;
    };
    struct middle {
        static constexpr axes shape = product_of(left_of(last), right_of(last));
    };

    template <class T>
    RICCI_INLINE static void run(const T* const (&x)[count], T* c) {
        if constexpr (count == 2) {
            multiply<operand<0>, operand<1>, result>(x[0], x[1], c);
        } else {
            constexpr std::size_t i = left_of(last), j = right_of(last);
            alignas(64) T between[middle::shape.size()];
            multiply<operand<i>, operand<j>, middle>(x[i], x[j], between);
            multiply<middle, operand<last>, result>(static_cast<const T*>(between), x[last], c);
        }
    }
};

}  // namespace ricci::small
