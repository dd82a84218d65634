// Elements as a page shows them: parts of arrays, axes in the order of the page, rows as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::show {

/// The places [first, end) of an axis.
struct slice {
    std::size_t first;
    std::size_t end;
};

/// The part of an array that lies in one slice an axis; it looks at the same memory.
array part_of(const array& a, const std::vector<slice>& slices);
/// The same elements with the axes in another order: axis k of the result is axis `order[k]` of a.
array permuted(const array& a, const std::vector<std::size_t>& order);

/// What is drawn below each other and beside each other: the last two axes; 1 where there is none.
std::size_t rows_in_panel(const array& a);
std::size_t columns_in_panel(const array& a);
/// How many panels: the product of all other axes.
std::size_t panels_in(const array& a);

/// What is read of an element: of a complex number its modulus, of a boolean 0 or 1; or its phase,
/// from -pi to pi, which other numbers do not have.
enum class aspect { value, phase };

/// A row of the panels, all of them counted, as double.
void read_row(const array& a, aspect of, std::size_t row, double* to);
/// The same of whole numbers, none of them rounded.
void read_whole_row(const array& a, std::size_t row, std::int64_t* to);

/// What there is among the elements.
struct summary {
    double least = std::numeric_limits<double>::infinity();  // of those that are finite
    double most = -std::numeric_limits<double>::infinity();
    double usual = 0;  // the magnitude that 99 of 100 do not pass, of a sample
    std::size_t nan = 0, above = 0, below = 0;  // infinities: positive and negative ones
    // of whole numbers
    std::int64_t least_whole = std::numeric_limits<std::int64_t>::max();
    std::int64_t most_whole = std::numeric_limits<std::int64_t>::min();
};
summary summary_of(const array& a, aspect of);

}  // namespace ricci::show
