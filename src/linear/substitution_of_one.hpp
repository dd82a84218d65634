// Substitution for a single right-hand side, which reads the triangle where it lies: packing it
// would take longer.
#pragma once

#include "src/linear/substitution.hpp"

namespace ricci::linear {

/// So few right-hand sides go one by one.
inline constexpr std::int64_t few_sides = 3;

/// Whether its rows or its columns are contiguous.
constexpr bool has_lines(const triangle& which) {
    return which.row == 1 || which.row == -1 || which.column == 1 || which.column == -1;
}

/// The right-hand side, number i at side[i * step], becomes the solution. The triangle has lines,
/// and at most kernels::most_triangle_rows rows.
template <class T>
void substitute_one(const kernels::linear_table<T>& table, const triangle& which, const T* matrix,
                    T* side, std::int64_t step);

}  // namespace ricci::linear
