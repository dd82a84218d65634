// Folds with vectors along the folded loop: every tile becomes one number, numbers are combined in
// double precision.

#include <cmath>

#include "src/elementwise/task_memory.hpp"
#include "src/kernels/scalar_twin.hpp"

namespace ricci::elementwise {
namespace {

using plan::fold;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// sum += x with the rounding error kept; infinite sums have none.
void add(row_total& t, double x) {
    const double sum = t.sum + x;
    const double part = sum - t.sum;
    const double error = (t.sum - (sum - part)) + (x - part);
    t.sum = sum;
    if (!std::isnan(error)) t.rest += error;
}

/// What is subtracted before exp: the maximum, unless it is infinite.
double shift_for(double maximum) { return std::isinf(maximum) ? 0 : maximum; }

/// Sums of exp(x - old maximum) become sums of exp(x - new maximum).
void raise(row_total& t, double maximum) {
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

template <class T>
row_total engine<T>::empty_row() const {
    row_total t;
    t.extreme = folding_ == fold::minimum ? infinity : -infinity;
    return t;
}

template <class T>
void engine<T>::join_row(row_total& t, const row_total& more) const {
    switch (folding_) {
        case fold::sum:
        case fold::mean:
            add(t, more.sum);
            t.rest += more.rest;
            break;
        case fold::maximum:
            t.extreme = kernels::scalar::maximum(t.extreme, more.extreme);
            break;
        case fold::minimum:
            t.extreme = kernels::scalar::minimum(t.extreme, more.extreme);
            break;
        case fold::logsumexp:
        case fold::softmax: {
            row_total other = more;
            const double maximum = kernels::scalar::maximum(t.extreme, more.extreme);
            raise(t, maximum);
            raise(other, maximum);
            add(t, other.sum);
            t.rest += other.rest;
            break;
        }
        case fold::none:
            break;
    }
}

template <class T>
row_total engine<T>::reduce_row(task_memory& m, std::int64_t first, std::int64_t last) const {
    row_total t = empty_row();
    const pass what = folding_ == fold::softmax ? first_pass(code_.in_place()) : pass::fold;
    for_tiles(m, first, last, what, [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
        for_runs(view.data, view.stride, p, q, [&](const T* row, std::size_t n, std::int64_t) {
            switch (folding_) {
                case fold::sum:
                case fold::mean:
                    add(t, static_cast<double>(kernels_.sum(row, n)));
                    break;
                case fold::maximum:
                    t.extreme = kernels::scalar::maximum(
                        t.extreme, static_cast<double>(kernels_.maximum(row, n)));
                    break;
                case fold::minimum:
                    t.extreme = kernels::scalar::minimum(
                        t.extreme, static_cast<double>(kernels_.minimum(row, n)));
                    break;
                case fold::logsumexp:
                case fold::softmax: {
                    const double here = static_cast<double>(kernels_.maximum(row, n));
                    const double maximum = kernels::scalar::maximum(t.extreme, here);
                    if (maximum != t.extreme) raise(t, maximum);
                    const T shift = static_cast<T>(shift_for(maximum));
                    add(t, static_cast<double>(kernels_.exp_sum(row, n, shift)));
                    break;
                }
                case fold::none:
                    break;
            }
        });
    });
    return t;
}

template <class T>
void engine<T>::finish_row(task_memory& m, const row_total& t) const {
    double result = t.extreme;
    if (folding_ == fold::sum) result = t.sum + t.rest;
    if (folding_ == fold::mean) result = (t.sum + t.rest) / static_cast<double>(nest_.values);
    if (folding_ == fold::logsumexp && std::isfinite(t.extreme)) {
        result = t.extreme + std::log(t.sum + t.rest);
    }
    static_cast<T*>(m.tile.bases[0])[m.unit_at[0]] = static_cast<T>(result);
}

/// A row that is one tile of unit stride throughout.
template <class T>
void engine<T>::softmax_short_row(task_memory& m) const {
    std::copy_n(m.unit_at, operands_, m.at);
    code_.begin(m.tile, m.at);
    T* to = output(m);
    const tile_shape& shape = layout_.shape;
    const tile_view<T> x =
        code_.run(m.tile, m.at, shape.p_extent, shape.q_extent, code_.in_place() ? nullptr : to);
    const auto n = static_cast<std::size_t>(nest_.values);
    const T maximum = kernels_.maximum(x.data, n);
    const T shift = maximum == -std::numeric_limits<T>::infinity() ? T(0) : maximum;
    const T sum = kernels_.exp_store_sum(to, x.data, n, shift);
    const T scale = sum == 0 ? T(0) : 1 / sum;
    kernels_.apply[kernels::operation(plan::opcode::multiply)][2](to, to, &scale, to, n);
}

/// A row of one task: maximum, then exp and its sum, then the scaling.
template <class T>
void engine<T>::softmax_row(task_memory& m) const {
    const bool one_run = !code_.in_place() || layout_.shape.p_extent == 1 ||
                         code_.strides_of_result().p == layout_.shape.q_extent;
    if (tiles_ == 1 && direct_output_ && one_run) return softmax_short_row(m);
    double maximum = -infinity;
    for_tiles(m, 0, tiles_, first_pass(code_.in_place()),
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  for_runs(view.data, view.stride, p, q,
                           [&](const T* row, std::size_t n, std::int64_t) {
                               maximum = kernels::scalar::maximum(
                                   maximum, static_cast<double>(kernels_.maximum(row, n)));
                           });
              });
    const T shift = maximum == -infinity ? T(0) : static_cast<T>(maximum);
    const tile_strides out = code_.strides(0);
    row_total t;
    for_tiles(m, 0, tiles_, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const T* from = source_of(m, view, p, q, stride);
                  T* to = direct_output_ ? output(m) : m.stage;
                  for_runs(from, stride, p, q, [&](const T* row, std::size_t n, std::int64_t i) {
                      add(t, static_cast<double>(kernels_.exp_store_sum(to + i, row, n, shift)));
                  });
                  if (!direct_output_) scatter(output(m), out.p, out.q, to, q, p, q);
              });
    const double sum = t.sum + t.rest;
    const T scale = sum == 0 ? T(0) : static_cast<T>(1 / sum);
    const auto multiply = kernels_.apply[kernels::operation(plan::opcode::multiply)][2];
    for_walk(m, [&](std::int64_t p, std::int64_t q) {
        T* to = output(m);
        if (direct_output_) {
            multiply(to, to, &scale, to, static_cast<std::size_t>(p * q));
            return;
        }
        for (std::int64_t i = 0; i < p; ++i) {
            for (std::int64_t j = 0; j < q; ++j) to[i * out.p + j * out.q] *= scale;
        }
    });
}

/// Tiles of a row whose maximum and sum are known.
template <class T>
void engine<T>::normalise_row(task_memory& m, std::int64_t first, std::int64_t last,
                              const row_total& t) const {
    const T shift = t.extreme == -infinity ? T(0) : static_cast<T>(t.extreme);
    const double sum = t.sum + t.rest;
    // A maximum of infinity means terms exp(infinity - infinity): no number is right.
    const double inverse =
        t.extreme == infinity ? std::numeric_limits<double>::quiet_NaN() : 1 / sum;
    const T scale = t.extreme == -infinity ? T(0) : static_cast<T>(inverse);
    const tile_strides out = code_.strides(0);
    for_tiles(m, first, last, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const T* from = source_of(m, view, p, q, stride);
                  T* to = direct_output_ ? output(m) : m.stage;
                  for_runs(from, stride, p, q, [&](const T* row, std::size_t n, std::int64_t i) {
                      kernels_.exp_scale(to + i, row, n, shift, scale);
                  });
                  if (!direct_output_) scatter(output(m), out.p, out.q, to, q, p, q);
              });
}

#define RICCI_ROWS(T)                                                                         \
    template row_total engine<T>::empty_row() const;                                          \
    template void engine<T>::join_row(row_total&, const row_total&) const;                    \
    template row_total engine<T>::reduce_row(task_memory&, std::int64_t, std::int64_t) const; \
    template void engine<T>::finish_row(task_memory&, const row_total&) const;                \
    template void engine<T>::softmax_short_row(task_memory&) const;                           \
    template void engine<T>::softmax_row(task_memory&) const;                                 \
    template void engine<T>::normalise_row(task_memory&, std::int64_t, std::int64_t,          \
                                           const row_total&) const;
RICCI_ROWS(float)
RICCI_ROWS(double)
#undef RICCI_ROWS

}  // namespace ricci::elementwise
