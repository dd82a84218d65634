// The product of two small tensors as a register-blocked loop: vectors along the last axis of C.
#pragma once

#include <cstddef>

#include <ricci/detail/inline.hpp>
#include <ricci/small/nest.hpp>
#include <ricci/small/vectors.hpp>

namespace ricci::small {

/// The loops of one product of A and B: `Product` has them as `Product::loops`.
template <class Product, class T>
struct kernel {
    static constexpr const nest& loops = Product::loops;

    /// A tile of `Rows` rows and `Vectors` vectors of columns.
    template <std::size_t Rows, std::size_t Vectors, std::size_t Lanes>
    RICCI_INLINE static void tile(const T* a, const T* b, T* c) {
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
    RICCI_INLINE static void sum_over(const T* a, const T* b, Sum& sum) {
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
    RICCI_INLINE static void add_product(const T* a, const T* b, Sum& sum) {
        using value = typename vector_of<T, Lanes>::value;
        // A number less zero is that number, in every lane.
        value right[Vectors];
        repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
            if constexpr (loops.columns.b == 0) right[v] = *b - value{};
            else right[v] = load<T, Lanes>(b + v * Lanes);
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
                    const value left = load<T, Lanes>(a + i * loops.rows.a + v * Lanes);
                    add(i, v, left);
                });
            }
        });
    }

    /// Otherwise every product would load and broadcast its number again, with AVX-512 at least.
    template <class Value>
    RICCI_INLINE static void stay_in_register([[maybe_unused]] Value& x) {
#if defined(__AVX512F__)
        asm("" : "+v"(x));
#endif
    }

    /// Columns from `Done` on, in vectors as wide as there are columns for.
    template <std::size_t Done>
    RICCI_INLINE static void all_columns(const T* a, const T* b, T* c) {
        constexpr std::size_t columns = loops.columns.extent;
        if constexpr (Done < columns) {
            constexpr vector_run run = next_vectors<T>(Done, columns, most_vectors);
            all_rows<0, run.vectors, run.lanes>(a + run.first * loops.columns.a,
                                                b + run.first * loops.columns.b,
                                                c + run.first * loops.columns.c);
            all_columns<run.end()>(a, b, c);
        }
    }

    /// Rows from `First` on, spread evenly over tiles.
    template <std::size_t First, std::size_t Vectors, std::size_t Lanes>
    RICCI_INLINE static void all_rows(const T* a, const T* b, T* c) {
        if constexpr (First < loops.rows.extent) {
            constexpr std::size_t rows = rows_of_tile(loops.rows.extent - First, Vectors);
            tile<rows, Vectors, Lanes>(a + First * loops.rows.a, b + First * loops.rows.b,
                                       c + First * loops.rows.c);
            all_rows<First + rows, Vectors, Lanes>(a, b, c);
        }
    }

    RICCI_INLINE static void run(const T* a, const T* b, T* c) {
        over_outer<Product>(
            a, b, c, [](const T* x, const T* y, T* z) __attribute__((always_inline)) {
                all_columns<0>(x, y, z);
            });
    }
};

}  // namespace ricci::small
