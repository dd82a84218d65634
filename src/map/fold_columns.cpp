// Folds with vectors along a free loop: an accumulator for each column of a tile.

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "src/kernels/scalar/scalar_twin.hpp"
#include "src/map/task_memory.hpp"
#include "src/tile/instances.hpp"

namespace ricci::elementwise {
namespace {

using steps::fold;

/// So many rows, or a tile of more, are summed plainly before the sum is added, with its error, to
/// the total.
constexpr std::int64_t rows_per_block = 64;

}  // namespace

template <class T, class S>
void tiled_map<T, S>::empty_columns(task_memory& m) const {
    for (const std::size_t b : {block, total, rest}) std::fill_n(m.column[b], m.q, T(0));
    if (sums()) return;  // they have no other buffers
    std::fill_n(m.column[shift], m.q, T(0));
    if (folding_ == fold::product) std::fill_n(m.column[total], m.q, T(1));
    std::fill_n(m.column[extreme], m.q, extreme_of_nothing<T>(folding_ != fold::minimum));
}

template <class T, class S>
void tiled_map<T, S>::flush_block(task_memory& m) const {
    kernels_.add_compensated(m.column[total], m.column[rest], m.column[block],
                             static_cast<std::size_t>(m.q));
    std::fill_n(m.column[block], m.q, T(0));
}

/// Sums of exp(x - shift) move to the shift that the columns' maxima ask for.
template <class T, class S>
void tiled_map<T, S>::raise_columns(task_memory& m) const {
    const auto n = static_cast<std::size_t>(m.q);
    kernels_.finite_shift(m.column[next_shift], m.column[extreme], n);
    if (std::memcmp(m.column[next_shift], m.column[shift], n * sizeof(T)) == 0) return;
    kernels_.rescale(m.column[total], m.column[shift], m.column[next_shift], n);
    kernels_.rescale(m.column[rest], m.column[shift], m.column[next_shift], n);
    std::copy_n(m.column[next_shift], n, m.column[shift]);
}

/// Multiplies the columns' products by a row.
template <class T, class S>
void tiled_map<T, S>::multiply_columns(task_memory& m, const T* row) const {
    T* const products = m.column[total];
    kernels_.apply[kernels::operation(steps::opcode::multiply)][0](products, products, row, row,
                                                                   static_cast<std::size_t>(m.q));
}

/// Adds what another block of the same columns left: total, rest and extreme, q_chunk numbers each.
template <class T, class S>
void tiled_map<T, S>::join_columns(task_memory& m, const T* partial) const {
    const auto n = static_cast<std::size_t>(m.q);
    const auto chunk = static_cast<std::size_t>(layout_.shape.q_chunk);
    const T* more_total = partial;
    const T* more_rest = partial + chunk;
    const T* more_extreme = partial + 2 * chunk;
    T* add_total = m.column[block];
    if (folding_ == fold::product) return multiply_columns(m, more_total);
    if (folding_ == fold::maximum)
        return kernels_.maximum_rows(m.column[extreme], more_extreme, 0, 1, n);
    if (folding_ == fold::minimum)
        return kernels_.minimum_rows(m.column[extreme], more_extreme, 0, 1, n);
    std::copy_n(more_total, n, add_total);
    if (sums_exponentials(folding_)) {
        kernels_.maximum_rows(m.column[extreme], more_extreme, 0, 1, n);
        raise_columns(m);
        kernels_.finite_shift(m.column[next_shift], more_extreme, n);
        kernels_.rescale(add_total, m.column[next_shift], m.column[shift], n);
        kernels_.add_compensated(m.column[total], m.column[rest], add_total, n);
        std::copy_n(more_rest, n, add_total);
        kernels_.rescale(add_total, m.column[next_shift], m.column[shift], n);
        kernels_.add_rows(m.column[rest], add_total, 0, 1, n);
        return;
    }
    kernels_.add_compensated(m.column[total], m.column[rest], add_total, n);
    kernels_.add_rows(m.column[rest], more_rest, 0, 1, n);
}

/// Adds the rows of a tile, which may be the elements of runs that lie side by side.
template <class T, class S>
void tiled_map<T, S>::add_rows(task_memory& m, const tile_view<T>& view, std::size_t rows) const {
    const auto n = static_cast<std::size_t>(m.q);
    if (layout_.shape.reads_runs)
        kernels_.add_runs(m.column[block], view.data, code_.strides_of_result().q, rows, n);
    else kernels_.add_rows(m.column[block], view.data, view.stride, rows, n);
}

template <class T, class S>
void tiled_map<T, S>::reduce_columns(task_memory& m, std::int64_t first, std::int64_t last) const {
    empty_columns(m);
    const auto n = static_cast<std::size_t>(m.q);
    std::int64_t rows_in_block = 0;
    bool flushed = false;
    const pass what =
        folding_ == fold::softmax ? first_pass(converts || code_.in_place()) : pass::fold;
    for_tiles(m, first, last, what, [&](std::int64_t p, std::int64_t, const tile_view<T>& view) {
        const auto rows = static_cast<std::size_t>(p);
        switch (folding_) {
            case fold::sum:
            case fold::mean:
                add_rows(m, view, rows);
                rows_in_block += p;
                if (rows_in_block >= rows_per_block) {
                    flush_block(m);
                    flushed = true;
                    rows_in_block = 0;
                }
                break;
            case fold::product:
                for (std::size_t i = 0; i < rows; ++i)
                    multiply_columns(m, view.data + static_cast<std::int64_t>(i) * view.stride);
                break;
            case fold::maximum:
                kernels_.maximum_rows(m.column[extreme], view.data, view.stride, rows, n);
                break;
            case fold::minimum:
                kernels_.minimum_rows(m.column[extreme], view.data, view.stride, rows, n);
                break;
            case fold::logsumexp:
            case fold::softmax:
            case fold::excess:
                kernels_.maximum_rows(m.column[extreme], view.data, view.stride, rows, n);
                raise_columns(m);
                kernels_.exp_add_rows(m.column[block], view.data, view.stride, m.column[shift],
                                      rows, n);
                flush_block(m);
                break;
            case fold::none:
                break;
        }
    });
    if (rows_in_block == 0) return;
    // The only block is the total.
    if (flushed) flush_block(m);
    else std::swap(m.column[block], m.column[total]);
}

template <class T, class S>
void tiled_map<T, S>::finish_columns(task_memory& m) const {
    const auto n = static_cast<std::size_t>(m.q);
    const T* result = m.column[extreme];
    if (folding_ == fold::sum || folding_ == fold::mean || sums_exponentials(folding_)) {
        kernels_.add_rows(m.column[total], m.column[rest], 0, 1, n);
        result = m.column[total];
    }
    if (folding_ == fold::product) result = m.column[total];
    T* sums = m.column[total];
    if (folding_ == fold::mean) {
        const T count = number_from<T>(static_cast<double>(nest_.values));
        kernels_.apply[kernels::operation(steps::opcode::divide)][2](sums, sums, &count, sums, n);
    }
    if constexpr (is_real<T>) {
        if (sums_exponentials(folding_)) {
            const bool whole = folding_ == fold::logsumexp;
            kernels_.apply[kernels::operation(steps::opcode::log)][0](sums, sums, sums, sums, n);
            if (whole) kernels_.add_rows(sums, m.column[shift], 0, 1, n);
            for (std::size_t j = 0; j < n; ++j) {
                if (std::isinf(m.column[extreme][j])) sums[j] = whole ? m.column[extreme][j] : T(0);
            }
        }
    }
    const tile_strides out = code_.strides(0);
    S* const to = static_cast<S*>(m.tile.bases[0]) + m.unit_at[0];
    if constexpr (is_real<T> && !converts) {
        if (past_) return kernels_.copy_past(result, 0, to, 0, 1, m.q);
    }
    if constexpr (converts) scatter_converted(to, 0, out.q, result, m.q, 1, m.q);
    else scatter(to, 0, out.q, result, m.q, 1, m.q);
}

/// The columns of one task: maxima, then exp and sums, then the scaling.
template <class T, class S>
void tiled_map<T, S>::softmax_columns(task_memory& m) const {
    empty_columns(m);
    const auto n = static_cast<std::size_t>(m.q);
    for_tiles(m, 0, tiles_, first_pass(code_.in_place()),
              [&](std::int64_t p, std::int64_t, const tile_view<T>& view) {
                  kernels_.maximum_rows(m.column[extreme], view.data, view.stride,
                                        static_cast<std::size_t>(p), n);
              });
    kernels_.masked_shift(m.column[shift], m.column[extreme], n);
    const tile_strides out = code_.strides(0);
    std::int64_t rows_in_block = 0;
    const bool unit_rows = out.q == 1 || m.q == 1;  // rows of the output may be written in place
    for_tiles(m, 0, tiles_, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const bool here = unit_rows && !code_.in_place();
                  const T* from = here ? output(m) : source_of(m, view, p, q, stride);
                  if (here) stride = out.p;
                  T* to = unit_rows ? output(m) : m.stage;
                  kernels_.exp_store_rows(m.column[block], to, unit_rows ? out.p : q, from, stride,
                                          m.column[shift], static_cast<std::size_t>(p), n);
                  if (!unit_rows) scatter(output(m), out.p, out.q, to, q, p, q);
                  rows_in_block += p;
                  if (rows_in_block < rows_per_block) return;
                  flush_block(m);
                  rows_in_block = 0;
              });
    flush_block(m);
    kernels_.add_rows(m.column[total], m.column[rest], 0, 1, n);
    kernels_.reciprocal_or_zero(m.column[total], m.column[total], n);
    for_walk(m, [&](std::int64_t p, std::int64_t q) {
        T* to = output(m);
        if (unit_rows) {
            kernels_.scale_rows(to, out.p, m.column[total], static_cast<std::size_t>(p), n);
            return;
        }
        for (std::int64_t i = 0; i < p; ++i) {
            for (std::int64_t j = 0; j < q; ++j) to[i * out.p + j * out.q] *= m.column[total][j];
        }
    });
}

/// Turns total and rest into the factor of each column, and shift into what normalising subtracts.
template <class T, class S>
void tiled_map<T, S>::finish_softmax_columns(task_memory& m) const {
    const auto n = static_cast<std::size_t>(m.q);
    kernels_.add_rows(m.column[total], m.column[rest], 0, 1, n);
    for (std::size_t j = 0; j < n; ++j) {
        // A maximum of infinity means terms exp(infinity - infinity): no number is right.
        const T maximum = m.column[extreme][j];
        if (!std::isinf(maximum)) continue;
        m.column[total][j] = maximum > 0 ? std::numeric_limits<T>::quiet_NaN() : T(0);
    }
    kernels_.reciprocal_or_zero(m.column[total], m.column[total], n);
    kernels_.masked_shift(m.column[shift], m.column[extreme], n);
}

/// Tiles of columns whose shift and factor (in `total`) are known.
template <class T, class S>
void tiled_map<T, S>::normalise_columns(task_memory& m, std::int64_t first,
                                        std::int64_t last) const {
    const auto n = static_cast<std::size_t>(m.q);
    std::fill_n(m.column[block], n, T(0));  // its sums are not wanted
    for_tiles(m, first, last, pass::revisit,
              [&](std::int64_t p, std::int64_t q, const tile_view<T>& view) {
                  std::int64_t stride = 0;
                  const T* from = source_of(m, view, p, q, stride);
                  T* to = direct_output_ ? direct(m) : m.stage;
                  const auto rows = static_cast<std::size_t>(p);
                  kernels_.exp_store_rows(m.column[block], to, q, from, stride, m.column[shift],
                                          rows, n);
                  kernels_.scale_rows(to, q, m.column[total], rows, n);
                  if (!direct_output_) put(m, to, q, p, q);
              });
}

#define RICCI_COLUMNS(...)                                                                         \
    template void tiled_map<__VA_ARGS__>::empty_columns(task_memory&) const;                       \
    template void tiled_map<__VA_ARGS__>::flush_block(task_memory&) const;                         \
    template void tiled_map<__VA_ARGS__>::raise_columns(task_memory&) const;                       \
    template void tiled_map<__VA_ARGS__>::join_columns(task_memory&, const value_type*) const;     \
    template void tiled_map<__VA_ARGS__>::reduce_columns(task_memory&, std::int64_t, std::int64_t) \
        const;                                                                                     \
    template void tiled_map<__VA_ARGS__>::finish_columns(task_memory&) const
#define RICCI_SOFTMAX_COLUMNS(...)                                                      \
    template void tiled_map<__VA_ARGS__>::finish_softmax_columns(task_memory&) const;   \
    template void tiled_map<__VA_ARGS__>::normalise_columns(task_memory&, std::int64_t, \
                                                            std::int64_t) const
RICCI_FOR_TILES(RICCI_COLUMNS);
RICCI_FOR_REAL_TILES(RICCI_SOFTMAX_COLUMNS);
template void tiled_map<float>::softmax_columns(task_memory&) const;
template void tiled_map<double>::softmax_columns(task_memory&) const;
#undef RICCI_COLUMNS
#undef RICCI_SOFTMAX_COLUMNS

}  // namespace ricci::elementwise
