// The kernels of products over (logsumexp, +), as a table of plain functions; chosen for this CPU
// at run time. They know nothing of threads, index groups or block sizes.
#pragma once

#include <cstdint>

#include "src/kernels/algebra/terms.hpp"

namespace ricci::kernels {

/// Lines of an operand side by side: element (x, k) is origin[across[x] + along[k]]; runs count
/// those that are adjacent in memory from there on, itself included.
template <class T>
struct operand_lines {
    const T* origin = nullptr;
    const std::int64_t* across = nullptr;
    const std::int64_t* along = nullptr;
    const std::int32_t* across_runs = nullptr;
    const std::int32_t* along_runs = nullptr;
    std::int64_t width = 0;
    std::int64_t depth = 0;
};

/// A row of shifted sums, to be turned into logarithms: sum j is c[columns[j]], for j < width.
template <class T>
struct shifted_row {
    T* c = nullptr;
    const std::int64_t* columns = nullptr;
    const std::int32_t* column_runs = nullptr;
    std::int64_t width = 0;
    T row_shift = 0;
    const T* column_shifts = nullptr;
    T least = 0;  // a smaller sum has lost digits
};

template <class T>
struct logsumexp_table {
    const char* target = "";
    int lanes = 1;  // elements in a vector

    /// Folds side by side, of any terms: each term's exponential with the maximum subtracted.
    void (*line)(const fold_terms<T>& terms, const fold_line<T>& to) = nullptr;

    /// One fold, in vectors along the inner steps; `to.count` is 1.
    void (*along)(const fold_terms<T>& terms, const fold_line<T>& to) = nullptr;

    /// shifts[x] = the maximum of line x, NaN where it has one;
    /// to[x * depth + k] = exp(element - shift), 0 where the shift is not finite. Best of lines
    /// that are contiguous along k.
    void (*shift_along)(const operand_lines<T>& from, T* to, T* shifts) = nullptr;

    /// The same to to[k * step + x], in vectors of lines. Best where neighbouring lines are
    /// adjacent.
    void (*shift_across)(const operand_lines<T>& from, T* to, std::int64_t step,
                         T* shifts) = nullptr;

    /// c = log(c) + (row shift + column shift), -infinity where a shift is -infinity; collects in
    /// `redo` the columns in which that would not be exact, and returns how many they are.
    std::int64_t (*finish)(const shifted_row<T>& row, std::int32_t* redo) = nullptr;

    /// to[x] = the fold of terms.a and of terms.b moved by columns[x], for x < count <= lanes.
    void (*listed)(const fold_terms<T>& terms, const std::int64_t* columns, int count,
                   T* to) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const logsumexp_table<T>& logsumexp_kernels();

template <>
const logsumexp_table<float>& logsumexp_kernels<float>();
template <>
const logsumexp_table<double>& logsumexp_kernels<double>();

}  // namespace ricci::kernels
