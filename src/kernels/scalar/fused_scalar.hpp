// The kernels of fused groups as plain loops: what the vector ones are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "src/kernels/fused/fused.hpp"

namespace ricci::kernels {

// A "vector" of four elements, so that the oracle's tiles are cut as the real ones are.
inline constexpr int scalar_fused_lanes = 4;

enum class scalar_term {
    product,
    squared_difference,
    weighted_difference,
    row_weighted_difference,
    lane_weighted_difference,
};

template <class T, int vectors, scalar_term of = scalar_term::product>
void scalar_multiply(const lane_product<T>& p) {
    for (std::int64_t r = 0; r < p.rows; ++r)
        for (std::int64_t x = 0; x < vectors * scalar_fused_lanes; ++x) {
            T sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k) {
                const T a = p.a[r * p.a_row + k * p.a_step], b = p.b[k * p.b_step + x];
                if (of == scalar_term::product) sum += a * b;
                if (of == scalar_term::squared_difference) sum += (a - b) * (a - b);
                if (of == scalar_term::weighted_difference) sum += p.weights[k] * (a - b) * (a - b);
                if (of == scalar_term::row_weighted_difference)
                    sum += p.weights[r * p.weight_row + k * p.weight_step] * (a - b) * (a - b);
                if (of == scalar_term::lane_weighted_difference)
                    sum += p.weights[k * p.weight_step + x] * (a - b) * (a - b);
            }
            T& c = p.c[r * p.c_row + x];
            if (p.mode == product_mode::add) sum += c;
            if (p.mode == product_mode::rescale) sum += c * p.scale[x];
            c = sum;
            if (p.maximum != nullptr && !(p.maximum[x] >= sum)) p.maximum[x] = sum;
        }
}

template <class T>
void scalar_narrow_lines(const lane_product<T>& p) {
    for (std::int64_t r = 0; r < p.rows; ++r)
        for (std::int64_t x = 0; x < scalar_fused_lanes; ++x) {
            T sum = 0;
            const T* line = p.b + std::min(x, p.used - 1) * p.b_step;
            for (std::int64_t k = 0; k < p.depth; ++k) sum += p.a[r * p.a_row + k] * line[k];
            sum *= p.factor;
            T& c = p.c[r * p.c_row + x];
            if (p.mode == product_mode::add) sum += c;
            c = sum;
            if (p.maximum != nullptr && !(p.maximum[x] >= sum)) p.maximum[x] = sum;
        }
}

template <class T>
void scalar_narrow_values(const lane_product<T>& p, std::int64_t b_step, std::int64_t b_lane) {
    for (std::int64_t x = 0; x < p.used; ++x)
        for (std::int64_t r = 0; r < p.rows; ++r) {
            T sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k)
                sum += p.a[r + k * p.a_step] * p.b[k * b_step + x * b_lane];
            T& c = p.c[x * p.c_row + r];
            const T scale = p.scale == nullptr ? T(1) : p.scale[x];
            c = p.mode == product_mode::store ? sum * scale : c * scale + sum;
        }
}

template <class T, scalar_term of, std::size_t... count>
void set_scalar_products(void (*(&all)[max_fused_vectors])(const lane_product<T>&),
                         std::index_sequence<count...>) {
    ((all[count] = &scalar_multiply<T, static_cast<int>(count) + 1, of>), ...);
}

template <class T>
bool scalar_has_cancelled(T distance, T norms) {
    return !(distance - static_cast<T>(least_expanded_part) * norms >= 0);
}

template <class T>
void add_scalar_distances(fused_table<T>& table) {
    constexpr std::make_index_sequence<max_fused_vectors> all;
    set_scalar_products<T, scalar_term::product>(table.multiply, all);
    set_scalar_products<T, scalar_term::squared_difference>(table.distance, all);
    set_scalar_products<T, scalar_term::weighted_difference>(table.weighted_distance, all);
    set_scalar_products<T, scalar_term::row_weighted_difference>(table.row_weighted_distance, all);
    set_scalar_products<T, scalar_term::lane_weighted_difference>(table.lane_weighted_distance,
                                                                  all);
    table.sum_squares = [](const line_squares<T>& p) {
        for (std::int64_t r = 0; r < p.rows; ++r) {
            T sum = 0;
            for (std::int64_t k = 0; k < p.depth; ++k) {
                const T x = p.a[r * p.a_row + k * p.a_step];
                sum += (p.weights == nullptr ? x : p.weights[k] * x) * x;
            }
            p.out[r] = p.add ? p.out[r] + sum : sum;
        }
    };
    table.expand_distances = [](const distance_tile<T>& p, bool* cancels) {
        for (std::int64_t r = 0; r < p.rows; ++r) {
            cancels[r] = false;
            for (std::int64_t x = 0; x < p.vectors * scalar_fused_lanes; ++x) {
                const T norms = p.of_rows[r] + p.of_lanes[x];
                T& c = p.c[r * p.c_row + x];
                c = norms - 2 * c;
                cancels[r] = cancels[r] || scalar_has_cancelled(c, norms);
            }
        }
    };
    table.replace_distances = [](const distance_tile<T>& p, const T* direct) {
        for (std::int64_t r = 0; r < p.rows; ++r)
            for (std::int64_t x = 0; x < p.vectors * scalar_fused_lanes; ++x, ++direct) {
                T& c = p.c[r * p.c_row + x];
                if (scalar_has_cancelled(c, p.of_rows[r] + p.of_lanes[x])) c = *direct;
            }
    };
}

template <class T, steps::monoid by>
void add_scalar_folds(fused_table<T>& table) {
    const auto number = static_cast<std::size_t>(by);
    table.fold_rows[number] = [](T* state, const T* tile, std::int64_t step, std::int64_t rows,
                                 std::size_t n) {
        for (std::int64_t r = 0; r < rows; ++r, tile += step)
            for (std::size_t x = 0; x < n; ++x) state[x] = steps::joined(by, state[x], tile[x]);
    };
    table.fold_lanes[number] = [](T* state, const T* tile, std::int64_t step, std::int64_t rows,
                                  std::int64_t vectors) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t x = 0; x < vectors * scalar_fused_lanes; ++x) {
                T& to = state[r * scalar_fused_lanes + x % scalar_fused_lanes];
                to = steps::joined(by, to, tile[r * step + x]);
            }
    };
}

template <class T, steps::monoid by>
void join_place(T& value, lane_place<T>& place, T x, std::int64_t at) {
    if (!steps::stands_for_both(by, value, place, x, at)) return;
    value = x;
    place = static_cast<lane_place<T>>(at);
}

template <class T, steps::monoid by>
void add_scalar_places(fused_table<T>& table) {
    const auto number = static_cast<std::size_t>(by);
    table.place_rows[number] = [](T* value, lane_place<T>* place, const T* tile, std::int64_t step,
                                  std::int64_t rows, std::size_t n, std::int64_t first) {
        for (std::int64_t r = 0; r < rows; ++r, tile += step)
            for (std::size_t x = 0; x < n; ++x)
                join_place<T, by>(value[x], place[x], tile[x], first + r);
    };
    table.place_lanes[number] = [](T* value, lane_place<T>* place, const T* tile, std::int64_t step,
                                   std::int64_t rows, std::int64_t vectors, std::int64_t first) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t x = 0; x < vectors * scalar_fused_lanes; ++x) {
                const std::int64_t to = r * scalar_fused_lanes + x % scalar_fused_lanes;
                join_place<T, by>(value[to], place[to], tile[r * step + x], first + x);
            }
    };
}

template <class T>
void add_scalar_counts(fused_table<T>& table) {
    table.count_rows = [](T* count, const T* value, const T* tile, std::int64_t step,
                          std::int64_t rows, std::size_t n) {
        for (std::int64_t r = 0; r < rows; ++r, tile += step)
            for (std::size_t x = 0; x < n; ++x) count[x] += tile[x] == value[x] ? T(1) : T(0);
    };
    table.count_lanes = [](T* count, const T* value, const T* tile, std::int64_t step,
                           std::int64_t rows, std::int64_t vectors) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t x = 0; x < vectors * scalar_fused_lanes; ++x) {
                const std::int64_t to = r * scalar_fused_lanes + x % scalar_fused_lanes;
                count[to] += tile[r * step + x] == value[to] ? T(1) : T(0);
            }
    };
}

template <class T>
fused_table<T> make_scalar_fused_table() {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    fused_table<T> table;
    table.target = "scalar twin";
    table.lanes = scalar_fused_lanes;
    table.vectors = 3;
    table.most_vectors = max_fused_vectors;
    add_scalar_distances(table);
    add_scalar_folds<T, steps::monoid::product>(table);
    add_scalar_folds<T, steps::monoid::maximum>(table);
    add_scalar_folds<T, steps::monoid::minimum>(table);
    add_scalar_places<T, steps::monoid::maximum>(table);
    add_scalar_places<T, steps::monoid::minimum>(table);
    add_scalar_counts(table);
    table.most_narrow = scalar_fused_lanes / 2;
    table.narrow_lines = &scalar_narrow_lines<T>;
    table.narrow_values = [](const lane_product<T>& p) { scalar_narrow_values(p, p.b_step, 1); };
    table.narrow_columns = [](const lane_product<T>& p) { scalar_narrow_values(p, 1, p.b_step); };
    table.raise = [](const softmax_state<T>& s, const T* maximum, std::size_t n) {
        for (std::size_t x = 0; x < n; ++x) {
            const T now = maximum[x] <= s.maximum[x] ? s.maximum[x] : maximum[x];
            s.factor[x] = s.maximum[x] == -infinity ? T(0) : std::exp(s.maximum[x] - now);
            s.maximum[x] = now;
            s.sum[x] *= s.factor[x];
        }
    };
    table.weigh = [](T* tile, const T* scores, std::int64_t step, std::int64_t rows, std::size_t n,
                     const softmax_state<T>& s) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::size_t x = 0; x < n; ++x) {
                const std::int64_t at = r * step + static_cast<std::int64_t>(x);
                const T maximum = s.maximum[x] == -infinity ? T(0) : s.maximum[x];
                tile[at] = std::exp(scores[at] - maximum);
                s.sum[x] += tile[at];
            }
    };
    table.weigh_again = [](T* tile, const T* scores, std::int64_t step, std::int64_t rows,
                           std::size_t n, const T* maximum, const T* factor) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::size_t x = 0; x < n; ++x) {
                const std::int64_t at = r * step + static_cast<std::int64_t>(x);
                tile[at] = std::exp(scores[at] - maximum[x]) * factor[x];
            }
    };
    table.write_rows = [](T* to, std::int64_t to_step, const T* from, std::int64_t from_step,
                          std::int64_t rows, std::int64_t n, const T* factors, T beta) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t x = 0; x < n; ++x) {
                T& c = to[r * to_step + x];
                const T value = from[r * from_step + x] * factors[r];
                c = beta == 0 ? value : value + beta * c;
            }
    };
    table.log_sum_exp = [](T* out, const softmax_state<T>& s, std::size_t n) {
        for (std::size_t x = 0; x < n; ++x)
            out[x] = s.sum[x] == 0 ? -std::numeric_limits<T>::infinity()
                                   : s.maximum[x] + std::log(s.sum[x]);
    };
    return table;
}

}  // namespace ricci::kernels
