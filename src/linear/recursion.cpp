// Factors and substitution by halves, down to panels and small triangles: what is between the
// halves are products.
#include "src/linear/blocked_program.hpp"

#include <algorithm>
#include <complex>

#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

// Columns of a block on the diagonal, of which three quarters are computed, or all where the
// product is not deep: more than the lower half, and nobody reads that.
constexpr std::int64_t most_square_columns = 64;
constexpr std::int64_t least_cut_depth = 64;

/// The first of two parts of `count`: as much of them as a power of two leaves are wide, so that
/// many parts are alike.
std::int64_t first_part(std::int64_t count, std::int64_t leaf) {
    while (2 * leaf < count) leaf *= 2;
    return leaf;
}

}  // namespace

template <class T>
void blocked_program<T>::add_lu(std::int64_t size, std::int64_t leading) {
    size_ = size;
    leading_ = leading;
    if (size > 0) add_lu_columns(0, size);
}

// The columns from their diagonal down: the left half, what it leaves of the right one, that one.
template <class T>
void blocked_program<T>::add_lu_columns(std::int64_t first, std::int64_t width) {
    if (width <= kernels::most_panel_columns) {
        add_panel(action::lu_panel, first, width);
        return;
    }
    const std::int64_t left = first_part(width, kernels::most_panel_columns);
    const std::int64_t middle = first + left, last = first + width;
    const part_at matrix{0, 1, leading_};
    add_lu_columns(first, left);
    add_exchange({first, middle, middle, last});
    const contractions::loop_list right{{last - middle, 0, leading_, leading_}};
    triangle upper_left;
    upper_left.offset = matrix.from(first, first).offset;
    upper_left.column = leading_;
    upper_left.size = left;
    upper_left.unit = true;
    const side_rows above{matrix.from(first, middle).offset, 1};
    const side_rows below{matrix.from(middle, middle).offset, 1};
    add_substitution(upper_left, {above, right});
    add_product(matrix.from(middle, first), size_ - middle, left, above, below, right, false,
                false);
    add_lu_columns(middle, last - middle);
    add_exchange({middle, last, first, middle});
}

template <class T>
void blocked_program<T>::add_cholesky(std::int64_t size, std::int64_t leading) {
    size_ = size;
    leading_ = leading;
    if (size > 0) add_cholesky_columns(0, size);
}

template <class T>
void blocked_program<T>::add_cholesky_columns(std::int64_t first, std::int64_t width) {
    if (width <= kernels::most_panel_columns) {
        add_panel(action::cholesky_panel, first, width);
        return;
    }
    const std::int64_t left = first_part(width, kernels::most_panel_columns);
    add_cholesky_columns(first, left);
    add_lower_update(first + left, size_ - first - left, width - left, first, left);
    add_cholesky_columns(first + left, width - left);
}

// Subtracts from `columns` columns from the diagonal at `first` on, down to `rows` rows, the
// product of `depth` columns from `from` on with their adjoint.
template <class T>
void blocked_program<T>::add_lower_update(std::int64_t first, std::int64_t rows,
                                          std::int64_t columns, std::int64_t from,
                                          std::int64_t depth) {
    const part_at matrix{0, 1, leading_};
    const auto multiply = [&](std::int64_t row, std::int64_t count, std::int64_t column,
                              std::int64_t width) {
        add_product(matrix.from(row, from), count, depth,
                    {matrix.from(column, from).offset, leading_},
                    {matrix.from(row, column).offset, 1}, {{width, 0, 1, leading_}}, false, true);
    };
    if (columns <= most_square_columns) {
        const bool is_cut =
            columns > most_square_columns / 2 && rows < 2 * columns && depth >= least_cut_depth;
        const std::int64_t left = is_cut ? first_part(columns, most_square_columns / 2) : columns;
        multiply(first, rows, first, left);
        if (left < columns) multiply(first + left, rows - left, first + left, columns - left);
        return;
    }
    const std::int64_t left = first_part(columns, most_square_columns);
    add_lower_update(first, left, left, from, depth);
    multiply(first + left, rows - left, first, left);
    add_lower_update(first + left, rows - left, columns - left, from, depth);
}

template <class T>
void blocked_program<T>::add_substitution(const triangle& which, const right_sides& sides) {
    if (which.size <= kernels::most_triangle_rows) {
        operations_.push_back({action::substitute, substitutions_.size()});
        substitutions_.push_back({which, sides.rows, columns_of(sides.columns)});
        return;
    }
    const std::int64_t upper = first_part(which.size, kernels::most_triangle_rows);
    const std::int64_t lower = which.size - upper;
    const side_rows below{sides.rows.offset + upper * sides.rows.row, sides.rows.row};
    add_substitution(which.part(0, upper), sides);
    add_product({which.offset + upper * which.row, which.row, which.column}, lower, upper,
                sides.rows, below, sides.columns, which.conjugated, false);
    add_substitution(which.part(upper, lower), {below, sides.columns});
}

#define RICCI_INSTANTIATE(T)                                                    \
    template void blocked_program<T>::add_lu(std::int64_t, std::int64_t);       \
    template void blocked_program<T>::add_cholesky(std::int64_t, std::int64_t); \
    template void blocked_program<T>::add_substitution(const triangle&, const right_sides&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
