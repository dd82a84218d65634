// Factors of a panel, some columns from the diagonal down, one column after another.
#pragma once

#include <cstdint>

#include "src/kernels/linear/linear.hpp"

namespace ricci::linear {

/// Columns [first, first + width) of a matrix of `size` rows, from row `first` on; width <=
/// kernels::most_panel_columns. Number (i, j) is matrix[i + j * leading].
template <class T>
struct panel {
    T* matrix = nullptr;
    std::int64_t leading = 0;
    std::int64_t size = 0;
    std::int64_t first = 0;
    std::int64_t width = 0;

    T* column(std::int64_t j) const { return matrix + j * leading; }
};

/// The first column whose pivot failed; none is negative. `finite`: it was a number.
struct panel_result {
    std::int64_t column = -1;
    bool finite = true;
};

/// L U with partial pivoting. pivots[k] becomes the row that was exchanged for row k in these
/// columns. A pivot of 0 has only zeros below it, and the factors are whole nevertheless; at one
/// that is not finite it ends.
template <class T>
panel_result factor_lu_panel(const kernels::linear_table<T>& table, const panel<T>& which,
                             std::int32_t* pivots);

/// L L*: the panel's columns of L, up to a pivot that is not positive.
template <class T>
panel_result factor_cholesky_panel(const kernels::linear_table<T>& table, const panel<T>& which);

}  // namespace ricci::linear
