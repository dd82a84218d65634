// Contractions of small tensors whose extents are in their types, compiled in the user's file: no
// call into the library, no allocation, loops that the compiler unrolls for the flags it is given.
// Where this header is included, ricci::einsum of two or three fixed tensors of one real type gives a
// fixed tensor, and takes that way when the product is small and the text is letters and an arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/einsum.hpp>

namespace ricci {
namespace small {

// What the flags of this file allow. Where a number is broadcast by two instructions, as many vectors
// as possible are multiplied by it.
#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
inline constexpr std::size_t accumulators = 28;
inline constexpr std::size_t most_vectors = 2;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
inline constexpr std::size_t accumulators = 12;
inline constexpr std::size_t most_vectors = 2;
#else
inline constexpr std::size_t vector_bytes = 16;
inline constexpr std::size_t accumulators = 12;
inline constexpr std::size_t most_vectors = 4;
#endif

/// Products of more multiplications than this are left to the library.
inline constexpr std::size_t most_multiplications = 40000;
inline constexpr std::size_t most_labels = 8;

/// The axes of one tensor: a letter and an extent each.
struct axes {
    char letter[most_labels] = {};
    std::size_t extent[most_labels] = {};
    std::size_t rank = 0;

    constexpr std::size_t find(char c) const {
        std::size_t k = 0;
        while (k < rank && letter[k] != c) ++k;
        return k;
    }
    constexpr std::size_t extent_of(char c) const { return find(c) < rank ? extent[find(c)] : 1; }
    /// Of a row-major tensor; a letter that stands twice walks a diagonal.
    constexpr std::size_t stride_of(char c) const {
        std::size_t total = 0;
        for (std::size_t k = 0, stride = 1; k < rank; ++k) {
            const std::size_t axis = rank - 1 - k;
            if (letter[axis] == c) total += stride;
            stride *= extent[axis];
        }
        return total;
    }
    constexpr std::size_t size() const {
        std::size_t n = 1;
        for (std::size_t k = 0; k < rank; ++k) n *= extent[k];
        return n;
    }
    constexpr void add(char c, std::size_t n) {
        if (rank < most_labels) letter[rank] = c, extent[rank] = n;
        ++rank;
    }
};

/// An einsum string of up to three operands, letter by letter. `plain`: letters and an arrow only.
struct einsum_text {
    axes operand[3];
    axes result;
    std::size_t operands = 1;
    bool plain = true;

    constexpr einsum_text(detail::text_view text) {
        bool right = false;
        for (std::int32_t k = 0; k < text.size; ++k) {
            const char c = text[k];
            const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (c == ' ') continue;
            if (c == ',' && !right) {
                if (++operands > 3) break;
            } else if (c == '-' && k + 1 < text.size && text[k + 1] == '>') {
                right = true, ++k;
            } else if (is_letter) {
                (right ? result : operand[operands - 1]).add(c, 1);
            } else {
                plain = false;
            }
        }
        plain = plain && right && operands <= 3 && result.rank <= most_labels;
        for (const axes& o : operand) plain = plain && o.rank <= most_labels;
    }
};

/// One loop: its extent, and how far each tensor moves when it advances by one.
struct loop {
    std::size_t extent, a, b, c;
};

/// C = sum of A B as loops. `outer` and `rows` are over C without its last letter, which `columns`
/// is; along `rows` B stands still, so that its vectors are used again.
struct nest {
    loop outer[most_labels] = {};
    loop rows{1, 0, 0, 0};
    loop columns{1, 0, 0, 0};
    loop summed[2 * most_labels] = {};
    std::size_t outer_count = 0, summed_count = 0;

    constexpr nest(const axes& a, const axes& b, const axes& c) {
        const auto loop_of = [&](char letter, std::size_t extent) {
            return loop{extent, a.stride_of(letter), b.stride_of(letter), c.stride_of(letter)};
        };
        for (std::size_t k = 0; k < c.rank; ++k) {
            const loop l = loop_of(c.letter[k], c.extent[k]);
            if (k + 1 == c.rank) {
                columns = l;
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
    }
};

#define RICCI_SMALL [[gnu::always_inline]] inline

/// `Lanes` numbers: `value` in a register, `type` at any address in memory.
template <class T, std::size_t Lanes>
struct vector_of {
    typedef T value __attribute__((vector_size(Lanes * sizeof(T))));
    typedef T type __attribute__((vector_size(Lanes * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T>
struct vector_of<T, 1> {
    using value = T;
    using type = T;
};

template <std::size_t... K, class F>
RICCI_SMALL void repeat(std::index_sequence<K...>, F f) {
    (f(std::integral_constant<std::size_t, K>{}), ...);
}
template <std::size_t Count, class F>
RICCI_SMALL void repeat(F f) {
    repeat(std::make_index_sequence<Count>{}, f);
}

/// The loops of one product of A and B: `Product` has them as `Product::loops`.
template <class Product, class T>
struct kernel {
    static constexpr const nest& loops = Product::loops;

    /// A tile of `Rows` rows and `Vectors` vectors of columns.
    template <std::size_t Rows, std::size_t Vectors, std::size_t Lanes>
    RICCI_SMALL static void tile(const T* a, const T* b, T* c) {
        using vector = typename vector_of<T, Lanes>::type;
        typename vector_of<T, Lanes>::value sum[Rows][Vectors];
        sum_over<0, true, Rows, Vectors, Lanes>(a, b, sum);
        repeat<Rows>([&](auto i) __attribute__((always_inline)) {
            repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
                *reinterpret_cast<vector*>(c + i * loops.rows.c + v * Lanes) = sum[i][v];
            });
        });
    }

    /// The first product of all starts the sum: adding it to zero would be work that counts here.
    template <std::size_t Depth, bool First, std::size_t Rows, std::size_t Vectors,
              std::size_t Lanes, class Sum>
    RICCI_SMALL static void sum_over(const T* a, const T* b, Sum& sum) {
        if constexpr (Depth < loops.summed_count) {
            constexpr loop l = loops.summed[Depth];
            sum_over<Depth + 1, First, Rows, Vectors, Lanes>(a, b, sum);
            for (std::size_t k = 1; k < l.extent; ++k)
                sum_over<Depth + 1, false, Rows, Vectors, Lanes>(a + k * l.a, b + k * l.b, sum);
        } else {
            add_product<First, Rows, Vectors, Lanes>(a, b, sum);
        }
    }

    template <bool First, std::size_t Rows, std::size_t Vectors, std::size_t Lanes, class Sum>
    RICCI_SMALL static void add_product(const T* a, const T* b, Sum& sum) {
        using vector = typename vector_of<T, Lanes>::type;
        using value = typename vector_of<T, Lanes>::value;
        // A number less zero is that number, in every lane.
        value right[Vectors];
        repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
            if constexpr (loops.columns.b == 0) right[v] = *b - value{};
            else right[v] = *reinterpret_cast<const vector*>(b + v * Lanes);
        });
        const auto add = [&](auto i, auto v, value left) __attribute__((always_inline)) {
            if constexpr (First) sum[i][v] = left * right[v];
            else sum[i][v] += left * right[v];
        };
        repeat<Rows>([&](auto i) __attribute__((always_inline)) {
            if constexpr (loops.columns.a == 0) {
                value left = a[i * loops.rows.a] - value{};
                if constexpr (Vectors > 1) stay_in_register(left);
                repeat<Vectors>([&](auto v) __attribute__((always_inline)) { add(i, v, left); });
            } else {
                repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
                    // Into a register at once: a reference to it would promise alignment.
                    const value left =
                        *reinterpret_cast<const vector*>(a + i * loops.rows.a + v * Lanes);
                    add(i, v, left);
                });
            }
        });
    }

    /// Otherwise every product would load and broadcast its number again, with AVX-512 at least.
    template <class Value>
    RICCI_SMALL static void stay_in_register([[maybe_unused]] Value& x) {
#if defined(__AVX512F__)
        asm("" : "+v"(x));
#endif
    }

    static constexpr std::size_t power_of_two_below(std::size_t n) {
        std::size_t lanes = 1;
        while (2 * lanes <= n) lanes *= 2;
        return lanes;
    }

    /// Columns from `First` on, in vectors as wide as there are columns for.
    template <std::size_t First>
    RICCI_SMALL static void all_columns(const T* a, const T* b, T* c) {
        if constexpr (First < loops.columns.extent) {
            constexpr std::size_t left = loops.columns.extent - First;
            constexpr std::size_t widest = vector_bytes / sizeof(T);
            constexpr std::size_t lanes = left < widest ? power_of_two_below(left) : widest;
            constexpr std::size_t fit = left / lanes;
            constexpr std::size_t vectors =
                power_of_two_below(fit < most_vectors ? fit : most_vectors);
            all_rows<0, vectors, lanes>(a + First * loops.columns.a, b + First * loops.columns.b,
                                        c + First * loops.columns.c);
            all_columns<First + vectors * lanes>(a, b, c);
        }
    }

    /// Rows from `First` on, spread evenly over tiles.
    template <std::size_t First, std::size_t Vectors, std::size_t Lanes>
    RICCI_SMALL static void all_rows(const T* a, const T* b, T* c) {
        constexpr std::size_t left = loops.rows.extent - First;
        constexpr std::size_t most = accumulators / Vectors;
        constexpr std::size_t tiles = (left + most - 1) / most;
        if constexpr (tiles > 0) {
            constexpr std::size_t rows = left / tiles;
            tile<rows, Vectors, Lanes>(a + First * loops.rows.a, b + First * loops.rows.b,
                                       c + First * loops.rows.c);
            all_rows<First + rows, Vectors, Lanes>(a, b, c);
        }
    }

    template <std::size_t Depth>
    RICCI_SMALL static void over_outer(const T* a, const T* b, T* c) {
        if constexpr (Depth < loops.outer_count) {
            constexpr loop l = loops.outer[Depth];
            for (std::size_t k = 0; k < l.extent; ++k)
                over_outer<Depth + 1>(a + k * l.a, b + k * l.b, c + k * l.c);
        } else {
            all_columns<0>(a, b, c);
        }
    }
};

/// The same tensor with each letter once and `column` last.
constexpr axes with_last(const axes& x, char column) {
    axes out;
    for (std::size_t k = 0; k < x.rank; ++k)
        if (x.letter[k] != column && x.find(x.letter[k]) == k) out.add(x.letter[k], x.extent[k]);
    out.add(column, x.extent_of(column));
    return out;
}
template <class X, char Column>
struct arranged {
    static constexpr axes shape = with_last(X::shape, Column);
};
template <class A, class B, class C>
struct product {
    static constexpr nest loops{A::shape, B::shape, C::shape};
};

/// Copies a tensor to another order of its axes.
template <class From, class To, class T, std::size_t Depth = 0>
RICCI_SMALL void copy_to(const T* from, T* to) {
    if constexpr (Depth < To::shape.rank) {
        constexpr char letter = To::shape.letter[Depth];
        for (std::size_t k = 0; k < To::shape.extent[Depth]; ++k)
            copy_to<From, To, T, Depth + 1>(from + k * From::shape.stride_of(letter),
                                            to + k * To::shape.stride_of(letter));
    } else {
        *to = *from;
    }
}

/// c = sum of a b; A, B and C hold the axes as `shape`.
template <class A, class B, class C, class T>
RICCI_SMALL void multiply(const T* a, const T* b, T* c) {
    constexpr char column = C::shape.rank > 0 ? C::shape.letter[C::shape.rank - 1] : '\0';
    constexpr std::size_t a_step = A::shape.stride_of(column), b_step = B::shape.stride_of(column);
    if constexpr (b_step == 0 && a_step != 0) {
        multiply<B, A, C>(b, a, c);  // vectors run along the second operand
    } else if constexpr (a_step > 1) {
        using copied = arranged<A, column>;
        alignas(64) T copy[copied::shape.size()];
        copy_to<A, copied>(a, copy);
        multiply<copied, B, C>(static_cast<const T*>(copy), b, c);
    } else if constexpr (b_step > 1) {
        using copied = arranged<B, column>;
        alignas(64) T copy[copied::shape.size()];
        copy_to<B, copied>(b, copy);
        multiply<A, copied, C>(a, static_cast<const T*>(copy), c);
    } else {
        kernel<product<A, B, C>, T>::template over_outer<0>(a, b, c);
    }
}

/// The text with the extents of the operands' types, and the order of products.
template <literal_text Text, class... Shapes>
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
    RICCI_SMALL static void run(const T* const (&x)[count], T* c) {
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

/// Stops the compilation where the generic einsum would.
template <literal_text Text, class... Operands, std::size_t... K>
consteval void find_mistakes(std::index_sequence<K...>) {
    constexpr std::uint64_t program = einsum_program<Text, Operands...>();
    report_mistake<call_mistake<program, false,
                                decltype(bind_operand<einsum_operand<K>::hash>(
                                    std::declval<const Operands&>()))...>>();
}

template <literal_text Text, class T, class... Shapes, class... Operands>
RICCI_SMALL auto einsum(const Operands&... operands) {
    using plan = small::plan<Text, Shapes...>;
    if constexpr (plan::text.plain) {
        find_mistakes<Text, Operands...>(std::index_sequence_for<Operands...>{});
        result_of<T, plan> out(uninitialised{});
        if constexpr (plan::fits) {
            const T* const all[] = {operands.data()...};
            plan::run(all, out.data());
        } else {
            einsum_into<Text>(out, operands...);
        }
        return out;
    } else {
        return einsum_indexed<Text>(std::index_sequence_for<Operands...>{}, operands...);
    }
}

}  // namespace small

/// The einsum of two or three fixed tensors of float or double, as a fixed tensor: without a call into
/// the library up to some 32 x 32 x 32 multiplications. A text with an implied result or an ellipsis
/// gives a tensor, as everywhere else.
template <literal_text Text, class T, std::size_t... A, std::size_t... B>
requires(std::is_floating_point_v<T>) RICCI_SMALL
    auto einsum(const fixed_tensor<T, A...>& a, const fixed_tensor<T, B...>& b) {
    return small::einsum<Text, T, small::shape_of<A...>, small::shape_of<B...>>(a, b);
}
template <literal_text Text, class T, std::size_t... A, std::size_t... B, std::size_t... C>
requires(std::is_floating_point_v<T>) RICCI_SMALL
    auto einsum(const fixed_tensor<T, A...>& a, const fixed_tensor<T, B...>& b,
                const fixed_tensor<T, C...>& c) {
    return small::einsum<Text, T, small::shape_of<A...>, small::shape_of<B...>,
                         small::shape_of<C...>>(a, b, c);
}

#undef RICCI_SMALL

}  // namespace ricci
