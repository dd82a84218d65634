// Folds with vectors along the folded loop: every tile becomes one number, numbers are combined in
// double precision.

#include <cmath>
#include <complex>
#include <limits>

#include "src/kernels/scalar/scalar_twin.hpp"
#include "src/map/task_memory.hpp"
#include "src/tile/instances.hpp"

namespace ricci::elementwise {
namespace {

using steps::fold;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The larger and the smaller of two; NaN when either is. Complex numbers have neither.
template <class T>
T larger(T a, T b) {
    if constexpr (is_real<T>) return kernels::scalar::maximum(a, b);
    else if constexpr (is_whole<T>) return a > b ? a : b;
    else return a;
}
template <class T>
T smaller(T a, T b) {
    if constexpr (is_real<T>) return kernels::scalar::minimum(a, b);
    else if constexpr (is_whole<T>) return a < b ? a : b;
    else return a;
}

/// What is subtracted before exp: the maximum, unless it is infinite.
double shift_for(double maximum) { return std::isinf(maximum) ? 0 : maximum; }

/// Sums of exp(x - old maximum) become sums of exp(x - new maximum).
template <class T>
void raise(row_total<T>& t, double maximum) {
    if (t.sum != 0) {
        const double factor = std::exp(shift_for(t.extreme) - shift_for(maximum));
        t.sum *= factor;
        t.rest *= factor;
    }
    t.extreme = maximum;
}

/// Calls body(row pointer, elements, position in the tile) for runs of unit stride.
template <class T, class Body>
void for_runs(const T* data, std::int64_t stride, std::int64_t p, std::int64_t q, Body body) {
    if (stride == q || p == 1) {
        body(data, static_cast<std::size_t>(p * q), std::int64_t{0});
        return;
    }
    for (std::int64_t i = 0; i < p; ++i)
        body(data + i * stride, static_cast<std::size_t>(q), i * q);
}

}  // namespace

template <class T, class S>
row_total<T> tiled_map<T, S>::empty_row() const {
    row_sum t;
    t.extreme = extreme_of_nothing<T>(folding_ != fold::minimum);
    if (folding_ == fold::product) t.sum = 1;
    return t;
}

template <class T, class S>
void tiled_map<T, S>::join_row(row_sum& t, const row_sum& more) const {
    switch (folding_) {
        case fold::sum:
        case fold::mean:
            t.add(more.sum);
            t.rest += more.rest;
            break;
        case fold::product:
            t.multiply(more.sum);
            break;
        case fold::maximum:
            t.extreme = larger(t.extreme, more.extreme);
            break;
        case fold::minimum:
            t.extreme = smaller(t.extreme, more.extreme);
            break;
        case fold::logsumexp:
        case fold::softmax:
        case fold::excess:
            if constexpr (is_real<T>) {
                row_sum other = more;
                const double maximum = larger(t.extreme, more.extreme);
                raise(t, maximum);
                raise(other, maximum);
                t.add(other.sum);
                t.rest += other.rest;
            }
            break;
        case fold::none:
            break;
    }
}

/// The sum over tiles [first, last) of products of two operands, which are stored nowhere: tiles of
/// the first and of the second half in turns.
template <class T, class S>
row_total<T> tiled_map<T, S>::sum_products(task_memory& m, std::int64_t first,
                                           std::int64_t last) const {
    row_sum t;
    const std::size_t axes = layout_.tiles.axes.size();
    const std::int64_t half = (last - first) / 2;
    std::int64_t at[2][most_operands_of_product];
    cursor tiles[2] = {{layout_.tiles, operands_, at[0], m.unit_at, first},
                       {layout_.tiles, operands_, at[1], m.unit_at, first + half}};
    const auto add = [&](const T* const* a, const T* const* b, int count, std::int64_t n) {
        T sums[2];
        kernels_.sums_of_products(sums, a, b, count, static_cast<std::size_t>(n));
        for (int k = 0; k < count; ++k) t.add(static_cast<typename row_sum::sum_type>(sums[k]));
    };
    for (std::int64_t step = 0; step < last - first - half; ++step) {
        const T *a[2], *b[2];
        for (int k = 0; k < 2; ++k) {
            a[k] = static_cast<const T*>(m.tile.bases[factor_[0]]) + at[k][factor_[0]];
            b[k] = static_cast<const T*>(m.tile.bases[factor_[1]]) + at[k][factor_[1]];
        }
        const std::int64_t p[2] = {tiles[0].size(axes - 2), tiles[1].size(axes - 2)};
        const std::int64_t q[2] = {tiles[0].size(axes - 1), tiles[1].size(axes - 1)};
        const bool both = step < half;
        if (both && p[0] == 1 && p[1] == 1 && q[0] == q[1]) {
            add(a, b, 2, q[0]);
        } else {
            for (int k = both ? 0 : 1; k < 2; ++k) {
                for (std::int64_t i = 0; i < p[k]; ++i) {
                    add(a + k, b + k, 1, q[k]);
                    a[k] += layout_.strides[factor_[0]].p;
                    b[k] += layout_.strides[factor_[1]].p;
                }
            }
        }
        for (cursor& c : tiles) c.next();
    }
    return t;
}

/// Adds tiles of a long run, from four quarters of it at once; returns the first tile that is left.
template <class T, class S>
std::int64_t tiled_map<T, S>::add_quarters(row_sum& t, const task_memory& m, std::int64_t first,
                                           std::int64_t last) const {
    const axis& along = layout_.tiles.axes.back();
    const std::size_t source = code_.operand_of_result();
    const std::int64_t whole = std::min(last, along.extent / along.chunk);
    const std::int64_t quarter = std::max<std::int64_t>(whole - first, 0) / places_at_once;
    const T* from =
        static_cast<const T*>(m.tile.bases[source]) + m.unit_at[source] + first * along.chunk;
    for (std::int64_t k = 0; k < quarter; ++k, from += along.chunk) {
        T sums[places_at_once];
        kernels_.sum_of_rows(sums, from, quarter * along.chunk, places_at_once,
                             static_cast<std::size_t>(along.chunk));
        for (const T sum : sums) t.add(static_cast<typename row_sum::sum_type>(sum));
    }
    return first + quarter * places_at_once;
}

template <class T, class S>
row_total<T> tiled_map<T, S>::reduce_row(task_memory& m, std::int64_t first,
                                         std::int64_t last) const {
    if constexpr (is_real<T> && !converts) {
        if (factor_[0] != 0 && first < last) return sum_products(m, first, last);
    }
    row_sum t = empty_row();
    if constexpr (is_real<T> && !converts) {
        if (long_) first = add_quarters(t, m, first, last);
    }
    using sum_type = typename row_sum::sum_type;
    using extreme_type = typename row_sum::extreme_type;
    const pass what =
        folding_ == fold::softmax ? first_pass(converts || code_.in_place()) : pass::fold;
    for_tiles(m, first, last, what, [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
        for_runs(view.data, view.stride, p, q, [&](const T* row, std::size_t n, std::int64_t) {
            switch (folding_) {
                case fold::sum:
                case fold::mean:
                    t.add(static_cast<sum_type>(kernels_.sum(row, n)));
                    break;
                case fold::product:
                    for (std::size_t k = 0; k < n; ++k) t.multiply(static_cast<sum_type>(row[k]));
                    break;
                case fold::maximum:
                    t.extreme =
                        larger(t.extreme, static_cast<extreme_type>(kernels_.maximum(row, n)));
                    break;
                case fold::minimum:
                    t.extreme =
                        smaller(t.extreme, static_cast<extreme_type>(kernels_.minimum(row, n)));
                    break;
                case fold::logsumexp:
                case fold::softmax:
                case fold::excess:
                    if constexpr (is_real<T>) {
                        const double here = static_cast<double>(kernels_.maximum(row, n));
                        const double maximum = larger(t.extreme, here);
                        if (maximum != t.extreme) raise(t, maximum);
                        const T shift = static_cast<T>(shift_for(maximum));
                        t.add(static_cast<double>(kernels_.exp_sum(row, n, shift)));
                    }
                    break;
                case fold::none:
                    break;
            }
        });
    });
    return t;
}

/// Writes sums, or the means, of rows whose results are `stride` elements apart.
template <class T, class S>
void tiled_map<T, S>::put_sums(task_memory& m, const T* sums, std::int64_t count,
                               std::int64_t stride) const {
    S* const to = static_cast<S*>(m.tile.bases[0]) + m.unit_at[0];
    if (folding_ == fold::mean) {
        const auto values = static_cast<double>(nest_.values);
        for (std::int64_t r = 0; r < count; ++r) to[r * stride] = static_cast<S>(sums[r] / values);
    } else {
        for (std::int64_t r = 0; r < count; ++r) to[r * stride] = static_cast<S>(sums[r]);
    }
}

/// Sums of units [first, last) in groups: every tile is read before the next one of any.
template <class T, class S>
void tiled_map<T, S>::sum_rows_abreast(task_memory& m, std::int64_t first,
                                       std::int64_t last) const {
    const axis& inner = layout_.units.axes.back();
    const std::size_t axes = layout_.tiles.axes.size();
    const std::int64_t stride = inner.stride[code_.operand_of_result()];
    T sums[most_runs_abreast];
    row_sum totals[most_rows_abreast];
    for (std::int64_t unit = first; unit < last;) {
        const std::int64_t count =
            std::min({abreast_, last - unit, inner.extent - unit % inner.extent});
        // Takes m to the unit.
        const cursor u(layout_.units, operands_, m.unit_at, nest_.offset.data(), unit);
        cursor c(layout_.tiles, operands_, m.at, m.unit_at, 0);
        if (!one_run_) std::fill_n(totals, count, row_sum{});
        for (std::int64_t t = 0; t < tiles_; ++t, c.next()) {
            const std::int64_t p = c.size(axes - 2), q = c.size(axes - 1);
            const tile_view<T> view = code_.run(m.tile, m.at, p, q, nullptr);
            for_runs(view.data, view.stride, p, q, [&](const T* row, std::size_t n, std::int64_t) {
                kernels_.sum_of_rows(sums, row, stride, static_cast<std::size_t>(count), n);
                if (one_run_) return;
                for (std::int64_t r = 0; r < count; ++r)
                    totals[r].add(static_cast<typename row_sum::sum_type>(sums[r]));
            });
        }
        if (one_run_) put_sums(m, sums, count, inner.stride[0]);
        for (std::int64_t r = 0; r < count && !one_run_; ++r, m.unit_at[0] += inner.stride[0])
            finish_row(m, totals[r]);
        unit += count;
    }
}

template <class T, class S>
void tiled_map<T, S>::finish_row(task_memory& m, const row_sum& t) const {
    S& to = static_cast<S*>(m.tile.bases[0])[m.unit_at[0]];
    if constexpr (is_whole<T>) {
        const bool totals = folding_ == fold::sum || folding_ == fold::product;
        to = totals ? static_cast<T>(t.sum) : t.extreme;
    } else {
        auto result = t.sum + t.rest;
        if (folding_ == fold::mean) result /= static_cast<double>(nest_.values);
        if constexpr (is_real<T>) {
            if (folding_ == fold::maximum || folding_ == fold::minimum) result = t.extreme;
            if (folding_ == fold::logsumexp) {
                result = std::isfinite(t.extreme) ? t.extreme + std::log(result) : t.extreme;
            }
            if (folding_ == fold::excess) result = std::isinf(t.extreme) ? 0 : std::log(result);
        }
        to = static_cast<S>(result);
    }
}

/// A row that is one tile of unit stride throughout.
template <class T, class S>
void tiled_map<T, S>::softmax_short_row(task_memory& m) const {
    std::copy_n(m.unit_at, operands_, m.at);
    code_.begin(m.tile, m.at);
    const tile_shape& shape = layout_.shape;
    T* to = direct_output_ ? direct(m) : m.stage;
    const tile_view<T> x = code_.run(m.tile, m.at, shape.p_extent, shape.q_extent,
                                     converts || code_.in_place() ? nullptr : to);
    const auto n = static_cast<std::size_t>(nest_.values);
    const T maximum = kernels_.maximum(x.data, n);
    const T shift = maximum == -std::numeric_limits<T>::infinity() ? T(0) : maximum;
    const T sum = kernels_.exp_store_sum(to, x.data, n, shift);
    const T scale = sum == 0 ? T(0) : 1 / sum;
    kernels_.apply[kernels::operation(steps::opcode::multiply)][2](to, to, &scale, to, n);
    if (converts) put(m, to, shape.q_extent, shape.p_extent, shape.q_extent);
}

/// A row of one task: maximum, then exp and its sum, then the scaling.
template <class T, class S>
void tiled_map<T, S>::softmax_row(task_memory& m) const {
    const bool one_run = !code_.in_place() || layout_.shape.p_extent == 1 ||
                         code_.strides_of_result().p == layout_.shape.q_extent;
    if (tiles_ == 1 && (direct_output_ || converts) && one_run) return softmax_short_row(m);
    if (converts) return normalise_row(m, 0, tiles_, reduce_row(m, 0, tiles_));
    double maximum = -infinity;
    for_tiles(m, 0, tiles_, first_pass(code_.in_place()),
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  for_runs(
                      view.data, view.stride, p, q, [&](const T* row, std::size_t n, std::int64_t) {
                          maximum = larger(maximum, static_cast<double>(kernels_.maximum(row, n)));
                      });
              });
    const T shift = maximum == -infinity ? T(0) : static_cast<T>(maximum);
    const tile_strides out = code_.strides(0);
    row_sum t;
    for_tiles(m, 0, tiles_, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const T* from = source_of(m, view, p, q, stride);
                  T* to = direct_output_ ? direct(m) : m.stage;
                  for_runs(from, stride, p, q, [&](const T* row, std::size_t n, std::int64_t i) {
                      t.add(static_cast<double>(kernels_.exp_store_sum(to + i, row, n, shift)));
                  });
                  if (!direct_output_) put(m, to, q, p, q);
              });
    const double sum = t.sum + t.rest;
    const T scale = sum == 0 ? T(0) : static_cast<T>(1 / sum);
    const auto multiply = kernels_.apply[kernels::operation(steps::opcode::multiply)][2];
    for_walk(m, [&](std::int64_t p, std::int64_t q) {
        if (T* to = direct(m); to != nullptr) {
            multiply(to, to, &scale, to, static_cast<std::size_t>(p * q));
            return;
        }
        S* to = output(m);
        for (std::int64_t i = 0; i < p; ++i) {
            for (std::int64_t j = 0; j < q; ++j) to[i * out.p + j * out.q] *= scale;
        }
    });
}

/// Tiles of a row whose maximum and sum are known.
template <class T, class S>
void tiled_map<T, S>::normalise_row(task_memory& m, std::int64_t first, std::int64_t last,
                                    const row_sum& t) const {
    const T shift = t.extreme == -infinity ? T(0) : static_cast<T>(t.extreme);
    const double sum = t.sum + t.rest;
    // A maximum of infinity means terms exp(infinity - infinity): no number is right.
    const double inverse =
        t.extreme == infinity ? std::numeric_limits<double>::quiet_NaN() : 1 / sum;
    const T scale = t.extreme == -infinity ? T(0) : static_cast<T>(inverse);
    for_tiles(m, first, last, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const T* from = source_of(m, view, p, q, stride);
                  T* to = direct_output_ ? direct(m) : m.stage;
                  for_runs(from, stride, p, q, [&](const T* row, std::size_t n, std::int64_t i) {
                      kernels_.exp_scale(to + i, row, n, shift, scale);
                  });
                  if (!direct_output_) put(m, to, q, p, q);
              });
}

#define RICCI_ROWS(...)                                                                        \
    template row_total<tiled_map<__VA_ARGS__>::value_type> tiled_map<__VA_ARGS__>::empty_row() \
        const;                                                                                 \
    template void tiled_map<__VA_ARGS__>::join_row(row_sum&, const row_sum&) const;            \
    template row_total<tiled_map<__VA_ARGS__>::value_type> tiled_map<__VA_ARGS__>::reduce_row( \
        task_memory&, std::int64_t, std::int64_t) const;                                       \
    template void tiled_map<__VA_ARGS__>::finish_row(task_memory&, const row_sum&) const
#define RICCI_REAL_ROWS(...)                                                                      \
    template void tiled_map<__VA_ARGS__>::sum_rows_abreast(task_memory&, std::int64_t,            \
                                                           std::int64_t) const;                   \
    template void tiled_map<__VA_ARGS__>::softmax_short_row(task_memory&) const;                  \
    template void tiled_map<__VA_ARGS__>::softmax_row(task_memory&) const;                        \
    template void tiled_map<__VA_ARGS__>::normalise_row(task_memory&, std::int64_t, std::int64_t, \
                                                        const row_sum&) const
RICCI_FOR_TILES(RICCI_ROWS);
RICCI_FOR_REAL_TILES(RICCI_REAL_ROWS);
#undef RICCI_ROWS
#undef RICCI_REAL_ROWS

}  // namespace ricci::elementwise
