// In which order the triangles of factored matrices are solved, and with which of them.
#pragma once

#include <cstddef>
#include <vector>

#include "src/linear/substitution.hpp"
#include "src/steps/linear.hpp"

namespace ricci::linear {

/// The triangles that right-hand sides go through, in order, each walked as a lower one. Number
/// (i, j) of the factors is at i * row + j * column. Where rows are in another order, that is so
/// before the first triangle, or, transposed, after the last.
inline std::vector<triangle> triangles_of(const steps::linear_solve& what, std::int64_t row,
                                          std::int64_t column) {
    using steps::factor_kind;
    triangle lower;
    lower.row = row;
    lower.column = column;
    lower.size = what.size;
    lower.conjugated = what.conjugated;
    triangle upper = lower;
    const auto turned = [&](const triangle& lower_one) {
        return lower_one.transposed().from_last();
    };
    switch (what.kind) {
        case factor_kind::lu:
            lower.unit = true;
            if (what.transposed) return {upper.transposed(), turned(lower)};
            return {lower, upper.from_last()};
        case factor_kind::cholesky:
            if (what.of_triangle) {
                if (what.transposed) return {turned(lower)};
                return {lower};
            }
            // The transpose of K = L L* is its conjugate.
            lower.conjugated = what.conjugated != what.transposed;
            upper = turned(lower);
            upper.conjugated = !lower.conjugated;
            return {lower, upper};
        case factor_kind::lower:
            if (what.transposed) return {turned(lower)};
            return {lower};
        case factor_kind::upper:
            if (what.transposed) return {upper.transposed()};
            return {upper.from_last()};
    }
    return {};
}

}  // namespace ricci::linear
