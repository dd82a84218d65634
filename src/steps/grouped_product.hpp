// The step of products by groups: rows, and for each a number that says which matrix it meets.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/element.hpp>

#include "src/steps/contraction.hpp"

namespace ricci::steps {

/// Rows of A, each in one of the groups or in none. Each is multiplied by the matrix of its group,
///   C[row, n] = alpha * weight[row] * sum over k of A[row, k] B[group, k, n] + beta * C[row, n],
/// or, where `sums_rows`, those of a group are summed
///   C[group, m, n] = alpha * sum over its rows, and k, of weight[row] A[row, m, k] B[row, k, n]
///                    + beta * C[group, m, n].
/// float and double. C overlaps nothing else, and beta is 0 or 1.
struct grouped_product {
    element type = element::f32;
    bool sums_rows = false;
    // Where a group begins, in B or in C: one loop for each number that is part of its own,
    // slowest first.
    std::vector<std::int64_t> group_extents, group_strides;
    std::vector<contraction_loop> m, n, k;  // no m where rows are those of C

    std::int64_t groups() const {
        std::int64_t all = 1;
        for (const std::int64_t n_groups : group_extents) all *= n_groups;
        return all;
    }
};

/// The rows, in the order of their groups.
template <class T>
struct grouped_rows {
    const std::uint32_t* first = nullptr;  // row of each group, and of what is in none
    std::int64_t count = 0;                // with those in none
    // Where each row is, in A and, unless it says which group it is in, in B or C.
    const std::int64_t* a = nullptr;
    const std::int64_t* other = nullptr;
    const T* weights = nullptr;  // none: all of them are 1
};

}  // namespace ricci::steps
