// Copies of right-hand sides to where they are solved: rows in another order, or a unit matrix.
#pragma once

#include <cstdint>

#include "src/contract/offsets.hpp"

namespace ricci::linear {

/// Rows of right-hand sides in two operands; column j of them is columns.offset[j] further.
template <class T>
struct side_copy {
    std::int64_t rows = 0;
    const std::int32_t* order = nullptr;  // row i of the target is row order[i]; none: row i
    const T* from = nullptr;
    std::int64_t from_row = 1;
    const contractions::offset_vector* from_columns = nullptr;
    T* to = nullptr;
    std::int64_t to_row = 1;
    const contractions::offset_vector* to_columns = nullptr;
};

template <class T>
void copy_sides(const side_copy<T>& what);

/// The target becomes those rows of the unit matrix.
template <class T>
void write_identity(const side_copy<T>& what);

}  // namespace ricci::linear
