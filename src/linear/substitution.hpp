// Substitution in a triangle of at most kernels::most_triangle_rows rows, for any number of
// right-hand sides.
#pragma once

#include <cstdint>

#include "src/contract/offsets.hpp"
#include "src/kernels/linear/linear.hpp"

namespace ricci::linear {

/// A triangle that is walked as a lower one: number (i, j), i >= j, is at offset + i * row +
/// j * column. An upper one is walked from its last corner, with negative strides.
struct triangle {
    std::int64_t offset = 0;
    std::int64_t row = 1, column = 0;
    std::int64_t size = 0;
    bool unit = false;        // its diagonal is 1
    bool conjugated = false;  // its conjugate

    triangle transposed() const {
        triangle other = *this;
        other.row = column;
        other.column = row;
        return other;
    }
    /// What an upper triangle whose first corner this is is walked as.
    triangle from_last() const {
        triangle other = *this;
        other.offset += (size - 1) * (row + column);
        other.row = -row;
        other.column = -column;
        return other;
    }
    /// The triangle of `count` rows on the diagonal from row `first` on.
    triangle part(std::int64_t first, std::int64_t count) const {
        triangle other = *this;
        other.offset += first * (row + column);
        other.size = count;
        return other;
    }
};

/// Rows of right-hand sides: those of row i are at offset + i * row + each of the columns.
struct side_rows {
    std::int64_t offset = 0;
    std::int64_t row = 1;
};

/// The right-hand sides become the solutions. `columns`: where each begins.
template <class T>
void substitute(const kernels::linear_table<T>& table, const triangle& which, const T* matrix,
                const side_rows& rows, const contractions::offset_vector& columns, T* sides);

}  // namespace ricci::linear
