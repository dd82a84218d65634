// Tables of the element-wise, reduction and row kernels, one for each element type, for the best
// SIMD target of this processor. No Highway here; that code is in the -inl.h files.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "src/steps/instruction.hpp"

namespace ricci::kernels {

/// Operations are numbered like steps::opcode; those that only simplification produces follow.
constexpr int operation(steps::opcode code) { return static_cast<int>(code); }
inline constexpr int multiply_add = operation(steps::opcode::select) + 1;  // first * second + third
inline constexpr int operation_count = multiply_add + 1;

/// How many arguments an operation takes; 0 for those without a kernel (constant, load, position).
constexpr int arity(int op) {
    return op == multiply_add ? 3 : steps::arity(static_cast<steps::opcode>(op));
}

/// A term of a sum, a product of two rows of numbers, or of a number and a row.
template <class T>
struct sum_term {
    const T* a = nullptr;
    const T* b = nullptr;
    bool a_moves = false;  // a is a row, too
};

/// Kernels on unit-stride memory of any alignment; those that an element type has no use for (the
/// exponential of whole numbers, the maximum of complex ones) are nullptr. Arrays of one call are
/// either the same address or do not overlap. `n` and `rows` may be 0.
template <class T>
struct elementwise_table {
    /// Elements in a vector, of real numbers; whatever else is added up does not ask.
    std::int64_t lanes;

    /// out[i] = op(a[i], b[i], c[i]); arguments that the operation lacks are not read.
    using apply_fn = void (*)(T* out, const T* a, const T* b, const T* c, std::size_t n);
    /// apply[op][mask]: bit k of mask set: argument k is one number, used for every i. Masks with
    /// every argument set are absent (nullptr): such a call is one with n = 1 and mask 0. Of float
    /// and double there is what folds ask for: products, quotients and logarithms. Their programs
    /// run on the register machine (src/kernels/bodies/lines.hpp).
    apply_fn apply[operation_count][8];

    /// out[i] = the sum of `count` terms, at least one, each multiplied and added to those before
    /// it in one rounding where the target has that. float and double only. `out` may be the row of
    /// a term.
    void (*sum_terms)(T* out, const sum_term<T>* terms, std::size_t count, std::size_t n);

    /// out[i] = start + i * step: whole numbers, exact as long as every one has an exact value.
    void (*count_up)(T* out, T start, T step, std::size_t n);

    // exp(a - shift) asks for shift >= a; where a is larger, no useful number comes out. What would
    // be below the smallest normal number is 0.

    // Over one row. The association of sums depends on the SIMD target only.
    T (*sum)(const T* a, std::size_t n);
    /// The sums of `rows` rows, `stride` elements apart; float and double only. Four are read side
    /// by side.
    void (*sum_of_rows)(T* sums, const T* a, std::ptrdiff_t stride, std::size_t rows,
                        std::size_t n);
    /// to[j] += the sum of `run` elements from from[j * step] on, for j < n; step > 0; float and
    /// double only.
    void (*add_runs)(T* to, const T* from, std::ptrdiff_t step, std::size_t run, std::size_t n);
    /// sums[k] = sum of a[k][i] * b[k][i] for k < count, 1 or 2; float and double only. Two are
    /// read side by side: memory delivers more from several places than from one.
    void (*sums_of_products)(T* sums, const T* const* a, const T* const* b, int count,
                             std::size_t n);
    T (*maximum)(const T* a, std::size_t n);  // -infinity for n = 0; NaN when there is one
    T (*minimum)(const T* a, std::size_t n);
    T (*exp_sum)(const T* a, std::size_t n, T shift);                // sum of exp(a - shift)
    T (*exp_store_sum)(T* out, const T* a, std::size_t n, T shift);  // the same, and keeps each exp
    void (*exp_scale)(T* out, const T* a, std::size_t n, T shift,
                      T scale);  // exp(a - shift) * scale

    // Over `rows` rows of n columns each, `stride` elements apart: one accumulator for each column.
    void (*add_rows)(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n);
    void (*maximum_rows)(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                         std::size_t n);
    void (*minimum_rows)(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                         std::size_t n);
    /// acc += exp(a - shift), one shift for each column.
    void (*exp_add_rows)(T* acc, const T* a, std::ptrdiff_t stride, const T* shift,
                         std::size_t rows, std::size_t n);
    /// The same, and out = exp(a - shift).
    void (*exp_store_rows)(T* acc, T* out, std::ptrdiff_t out_stride, const T* a,
                           std::ptrdiff_t stride, const T* shift, std::size_t rows, std::size_t n);
    void (*scale_rows)(T* out, std::ptrdiff_t stride, const T* scale, std::size_t rows,
                       std::size_t n);

    // Over columns.
    /// sum += x, the rounding errors collected in `rest` (two-sum); the total is sum + rest.
    void (*add_compensated)(T* sum, T* rest, const T* x, std::size_t n);
    /// shift = maximum, with 0 in place of an infinity of either sign.
    void (*finite_shift)(T* shift, const T* maximum, std::size_t n);
    /// shift = maximum, with 0 in place of -infinity.
    void (*masked_shift)(T* shift, const T* maximum, std::size_t n);
    /// sum *= exp(before - shift): sums of exp(x - before) become sums of exp(x - shift). A sum
    /// that is 0 stays 0.
    void (*rescale)(T* sum, const T* before, const T* shift, std::size_t n);
    /// out = 1 / a, and 0 where a is 0.
    void (*reciprocal_or_zero)(T* out, const T* a, std::size_t n);

    // Copies between layouts; float and double only, for any element of their size.

    /// to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns.
    void (*transpose)(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                      std::int64_t rows, std::int64_t columns);
    /// to[r * n + x] = from[r * stride] for r < rows, x < n: one number for each row.
    void (*spread)(T* to, const T* from, std::ptrdiff_t stride, std::size_t rows, std::size_t n);
    /// transpose past the caches, in whole lines. A row of the output that goes on in tiles before
    /// (not `begins`) and behind (not `ends`) this one is written from and to the last start of a
    /// line: the cache line of rows before `from` can be read, and `rows` is whole lines unless the
    /// output's rows end here. Meanwhile what is `ahead` elements from what is read is asked for
    /// (0: nothing more than that).
    void (*transpose_past)(const T* from, std::int64_t from_step, std::int64_t ahead, T* to,
                           std::int64_t to_step, std::int64_t rows, std::int64_t columns,
                           bool begins, bool ends);
    /// The same where rows of the input are anywhere: to[j * to_step + i] = from[offset[i] + j].
    /// Those before are at offset[-1] and so on.
    void (*transpose_listed_past)(const T* from, const std::int64_t* offset, std::int64_t ahead,
                                  T* to, std::int64_t to_step, std::int64_t rows,
                                  std::int64_t columns, bool begins, bool ends);
    /// to[i * to_step + j] = from[i * from_step + j] for i < rows, j < n, past the caches.
    void (*copy_past)(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                      std::int64_t rows, std::int64_t n);
    /// The same of rows that begin where no processor guesses: those that follow, from `coming` on
    /// and as far apart, are asked for meanwhile.
    void (*copy_runs_past)(const T* from, std::int64_t from_step, const T* coming, T* to,
                           std::int64_t to_step, std::int64_t rows, std::int64_t n);
    /// To be called by whoever wrote past the caches, before others read.
    void (*end_streams)();
};

/// The table for float, double, std::int32_t, std::int64_t, std::complex<float> and
/// std::complex<double>; the 16-bit types are computed with in float.
template <class T>
const elementwise_table<T>& elementwise();
template <>
const elementwise_table<float>& elementwise<float>();
template <>
const elementwise_table<double>& elementwise<double>();
template <>
const elementwise_table<std::int32_t>& elementwise<std::int32_t>();
template <>
const elementwise_table<std::int64_t>& elementwise<std::int64_t>();
template <>
const elementwise_table<std::complex<float>>& elementwise<std::complex<float>>();
template <>
const elementwise_table<std::complex<double>>& elementwise<std::complex<double>>();

}  // namespace ricci::kernels
