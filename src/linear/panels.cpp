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

}  // namespace

template <class T>
panel_result factor_lu_panel(const kernels::linear_table<T>& table, const panel<T>& which,
                             std::int32_t* pivots) {
    const std::int64_t first = which.first;
    panel_result made;
    for (std::int64_t j = first; j < first + which.width; ++j) {
        T* const y = which.column(j);
        for (std::int64_t k = first; k < j; ++k) std::swap(y[k], y[pivots[k]]);
        // Rows of U, which the triangle of L above the diagonal gives.
        for (std::int64_t k = first; k < j; ++k) {
            const T* const x = which.column(k);
            for (std::int64_t i = k + 1; i < j; ++i) y[i] = subtract_product(y[i], x[i], y[k]);
        }
        const std::uint64_t largest = table.subtract_columns(
            which.size - j, j - first, which.column(first) + j, which.leading, y + first, y + j);
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
    const std::int64_t first = which.first;
    T factors[kernels::most_panel_columns];
    for (std::int64_t j = first; j < first + which.width; ++j) {
        T* const y = which.column(j);
        for (std::int64_t k = first; k < j; ++k)
            factors[k - first] = conjugated(which.column(k)[j]);
        table.subtract_columns(which.size - j, j - first, which.column(first) + j, which.leading,
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

}  // namespace ricci::linear
