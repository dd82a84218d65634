// Copies of a matrix between any strides and contiguous columns.
#pragma once

#include <cstdint>

namespace ricci::linear {

/// Which places are copied at least; others may be.
enum class copied_half : std::uint8_t { both, lower, upper };

/// to[i + j * leading] = from[i * row + j * column] for i, j < size.
template <class T>
void copy_to_columns(std::int64_t size, const T* from, std::int64_t row, std::int64_t column, T* to,
                     std::int64_t leading, copied_half half);

}  // namespace ricci::linear
