// The product of two small tensors without a loop: the lanes of A and B are put in order in
// registers. Vectors may run along the last two axes of C, where the last one alone is too short
// for them.
#pragma once

#include <cstddef>

#include <ricci/detail/inline.hpp>
#include <ricci/small/nest.hpp>
#include <ricci/small/vectors.hpp>

namespace ricci::small {

/// `Product` has the loops, with `woven` and `columns` next to each other in C, as
/// `Product::loops`.
template <class Product, class T>
struct unrolled_kernel {
    static constexpr const nest& loops = Product::loops;
    static constexpr std::size_t total = loops.woven.extent * loops.columns.extent;
    /// As many as leave room for rows of them.
    static constexpr std::size_t most =
        loops.rows.extent == 1 || accumulators < 16 ? most_vectors : 2 * most_vectors;

    /// Where the lanes from `first` on come from in one operand, counted from `start`.
    template <std::size_t Lanes, std::size_t loop::*Operand>
    static constexpr lane_places<Lanes> places(std::size_t first, std::size_t start) {
        const std::size_t row = loops.columns.extent;
        lane_places<Lanes> out{};
        for (std::size_t k = 0; k < Lanes; ++k)
            out.at[k] = start + (first + k) / row * (loops.woven.*Operand) +
                        (first + k) % row * (loops.columns.*Operand);
        return out;
    }

    /// Whether every vector is one load, in some order.
    template <std::size_t Done = 0>
    static constexpr bool lanes_come_together() {
        if constexpr (Done < total) {
            constexpr vector_run run = next_vectors<T>(Done, total, 1);
            return is_one_load<T>(places<run.lanes, &loop::a>(run.first, 0), loops.reach.a) &&
                   is_one_load<T>(places<run.lanes, &loop::b>(run.first, 0), loops.reach.b) &&
                   lanes_come_together<run.end()>();
        }
        return true;
    }
    /// Whether the code would be short.
    static constexpr bool is_little_work() {
        return loops.depth() <= 32 &&
               loops.depth() * loops.rows.extent * (total / widest<T> + 1) <= 512;
    }
    /// Whether what B's lanes come from is put in order once.
    static constexpr bool rows_are_one_tile() {
        return loops.rows.extent * next_vectors<T>(0, total, most).vectors <= accumulators;
    }

    template <std::size_t First, std::size_t Vectors, std::size_t Lanes, std::size_t FirstRow,
              std::size_t Rows>
    RICCI_INLINE static void tile(const T* a, const T* b, T* c) {
        using value = typename vector_of<T, Lanes>::value;
        value sum[Rows][Vectors];
        repeat<loops.depth()>([&](auto step) __attribute__((always_inline)) {
            constexpr loop at = loops.at_depth(step);
            value right[Vectors];
            repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
                constexpr auto from = places<Lanes, &loop::b>(First + v * Lanes, at.b);
                right[v] = gather<T, Lanes, from, loops.reach.b>(b);
            });
            repeat<Rows>([&](auto i) __attribute__((always_inline)) {
                repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
                    constexpr auto from = places<Lanes, &loop::a>(
                        First + v * Lanes, at.a + (FirstRow + i) * loops.rows.a);
                    const value left = gather<T, Lanes, from, loops.reach.a>(a);
                    if constexpr (step == 0) sum[i][v] = left * right[v];
                    else sum[i][v] += left * right[v];
                });
            });
        });
        repeat<Rows>([&](auto i) __attribute__((always_inline)) {
            repeat<Vectors>([&](auto v) __attribute__((always_inline)) {
                T* const to = c + (FirstRow + i) * loops.rows.c + First + v * Lanes;
                *reinterpret_cast<typename vector_of<T, Lanes>::type*>(to) = sum[i][v];
            });
        });
    }

    /// Rows from `FirstRow` on, spread evenly over tiles.
    template <std::size_t First, std::size_t Vectors, std::size_t Lanes, std::size_t FirstRow>
    RICCI_INLINE static void all_rows(const T* a, const T* b, T* c) {
        if constexpr (FirstRow < loops.rows.extent) {
            constexpr std::size_t rows = rows_of_tile(loops.rows.extent - FirstRow, Vectors);
            tile<First, Vectors, Lanes, FirstRow, rows>(a, b, c);
            all_rows<First, Vectors, Lanes, FirstRow + rows>(a, b, c);
        }
    }

    template <std::size_t Done>
    RICCI_INLINE static void all_columns(const T* a, const T* b, T* c) {
        if constexpr (Done < total) {
            constexpr vector_run run = next_vectors<T>(Done, total, most);
            all_rows<run.first, run.vectors, run.lanes, 0>(a, b, c);
            all_columns<run.end()>(a, b, c);
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
