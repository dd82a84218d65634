// Small matrices of a batch, brought together with a matrix in each lane, and apart again.
#pragma once

#include <cstdint>

#include "src/kernels/linear/linear.hpp"

namespace ricci::linear {

/// Numbers of `lanes` <= group_size<T> matrices: number (i, j) of matrix l is
/// origin[offset[l] + i * row + j * column].
template <class T, class Pointer = const T*>
struct matrices_of_group {
    Pointer origin = nullptr;
    const std::int64_t* offset = nullptr;
    std::int64_t lanes = 0;
    std::int64_t step = 0;  // between neighbours, where it is the same for all and not 0
    std::int64_t rows = 0, columns = 0;
    std::int64_t row = 0, column = 1;
};

/// Number (i, j) of lane l goes to lane l of slot i * columns + j (kernels::interleaved_matrix).
/// Lanes without a matrix get zeros.
template <class T>
void interleave(const matrices_of_group<T>& from, kernels::part_type<T>* to);

/// The other way.
template <class T>
void separate(const kernels::part_type<T>* from, const matrices_of_group<T, T*>& to);

}  // namespace ricci::linear
