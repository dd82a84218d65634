// Factors of a panel: each column gets at once what those before it leave of it, which reads them
// and writes it alone.
#include "src/linear/panels.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

/// The bits of infinity; those of NaNs are larger.
template <class T>
constexpr std::uint64_t infinite_magnitude() {
    if constexpr (sizeof(part_type<T>) == 4)
        return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    else return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
}

using kernels::columns_at_once;
using kernels::most_panel_columns;

/// What columns [first, begin) leave of rows `begin` on of columns [begin, begin +
/// columns_at_once). factor(t, j): what column t is multiplied by for column j.
template <class T, class Factor>
void subtract_before(const kernels::linear_table<T>& table, const panel<T>& which,
                     std::int64_t begin, Factor factor) {
    const std::int64_t first = which.first, count = begin - first;
    if (count == 0) return;
    T factors[most_panel_columns * columns_at_once];
    for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t j = 0; j < columns_at_once; ++j)
            factors[t * columns_at_once + j] = factor(first + t, begin + j);
    table.subtract_from_columns(which.size - begin, count, which.column(first) + begin,
                                which.leading, factors, which.column(begin) + begin, which.leading);
}

/// Columns [from, to) of L give rows [from, to) of a column of U, of which it has those above.
template <class T>
void solve_rows(const panel<T>& which, std::int64_t from, std::int64_t to, T* y) {
    for (std::int64_t k = from; k < to; ++k) {
        const T* const x = which.column(k);
        for (std::int64_t i = k + 1; i < to; ++i) y[i] = subtract_product(y[i], x[i], y[k]);
    }
}

template <class T>
void exchange_rows(const std::int32_t* pivots, std::int64_t from, std::int64_t to, T* y) {
    for (std::int64_t k = from; k < to; ++k) std::swap(y[k], y[pivots[k]]);
}

}  // namespace

template <class T>
panel_result factor_lu_panel(const kernels::linear_table<T>& table, const panel<T>& which,
                             std::int32_t* pivots) {
    const std::int64_t first = which.first, last = first + which.width;
    panel_result made;
    std::int64_t begin = first;  // what columns before it leave has been subtracted
    for (std::int64_t j = first; j < last; ++j) {
        if (j == begin + columns_at_once && j + columns_at_once <= last) {
            begin = j;
            for (std::int64_t b = begin; b < begin + columns_at_once; ++b) {
                exchange_rows(pivots, first, begin, which.column(b));
                solve_rows(which, first, begin, which.column(b));
            }
            subtract_before(table, which, begin,
                            [&](std::int64_t t, std::int64_t b) { return which.column(b)[t]; });
        }
        const std::int64_t from = j < begin + columns_at_once ? begin : first;
        T* const y = which.column(j);
        exchange_rows(pivots, from, j, y);
        solve_rows(which, from, j, y);
        const std::uint64_t largest = table.subtract_columns(
            which.size - j, j - from, which.column(from) + j, which.leading, y + from, y + j);
        if (largest >= infinite_magnitude<T>()) return {j, false};
        if (largest == 0) {  // and so is all that would be divided
            if (made.column < 0) made.column = j;
            pivots[j] = static_cast<std::int32_t>(j);
            continue;
        }
        const std::int64_t pivot = j + table.find(which.size - j, largest, y + j);
        pivots[j] = static_cast<std::int32_t>(pivot);
        if (pivot != j)
            for (std::int64_t k = first; k <= j; ++k)
                std::swap(which.column(k)[j], which.column(k)[pivot]);
        table.divide(which.size - j - 1, make_divisor(y[j]), y + j + 1);
    }
    return made;
}

template <class T>
panel_result factor_cholesky_panel(const kernels::linear_table<T>& table, const panel<T>& which) {
    const std::int64_t first = which.first, last = first + which.width;
    const auto factor = [&](std::int64_t t, std::int64_t j) {
        return conjugated(which.column(t)[j]);
    };
    T factors[most_panel_columns];
    std::int64_t begin = first;
    for (std::int64_t j = first; j < last; ++j) {
        if (j == begin + columns_at_once && j + columns_at_once <= last) {
            begin = j;
            subtract_before(table, which, begin, factor);
        }
        const std::int64_t from = j < begin + columns_at_once ? begin : first;
        T* const y = which.column(j);
        for (std::int64_t t = from; t < j; ++t) factors[t - from] = factor(t, j);
        table.subtract_columns(which.size - j, j - from, which.column(from) + j, which.leading,
                               factors, y + j);
        const part_type<T> square = real_of(y[j]);
        if (!(square > 0) || !std::isfinite(square)) return {j, std::isfinite(square)};
        const part_type<T> root = std::sqrt(square);
        y[j] = root;
        table.divide(which.size - j - 1, make_divisor(T{root}), y + j + 1);
    }
    return {};
}

#define RICCI_INSTANTIATE(T)                                                                \
    template panel_result factor_lu_panel(const kernels::linear_table<T>&, const panel<T>&, \
                                          std::int32_t*);                                   \
    template panel_result factor_cholesky_panel(const kernels::linear_table<T>&, const panel<T>&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
