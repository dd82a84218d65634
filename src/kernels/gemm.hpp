// The kernels a contraction is made of, as a table of plain functions; chosen for this CPU at run
// time. They know nothing of threads, index groups or block sizes.
#pragma once

#include <cstdint>

namespace ricci::kernels {

inline constexpr int max_rows = 8;
inline constexpr int max_vectors = 3;

/// Where a micro-kernel writes: element (i, j) is origin[rows[i] + columns[j]].
/// C = alpha * (product) + beta * C; C is not read when beta is 0.
template <class T>
struct output_tile {
    T* origin = nullptr;
    const std::int64_t* rows = nullptr;
    const std::int64_t* columns = nullptr;
    int column_count = 0;  // columns that exist; the others of the panel are not written
    // Bit v: the columns of vector v that exist are adjacent in memory.
    unsigned adjacent = 0;
    T alpha = 1;
    T beta = 0;
    // What a later call will read: asked for while this one computes, `next_step` elements further
    // for each k.
    const T* next = nullptr;
    std::int64_t next_step = 0;
};

/// A part of an operand to be packed: `width` lines side by side, `depth` elements along k each.
/// Element (x, k) is origin[across[x] + along[k]]. A run is the number of elements, itself
/// included, that follow each other at unit stride from there on.
template <class T>
struct pack_source {
    const T* origin = nullptr;
    const std::int64_t* across = nullptr;
    const std::int64_t* along = nullptr;
    const std::int32_t* across_run = nullptr;
    const std::int32_t* along_run = nullptr;
    int width = 0;
    std::int64_t depth = 0;
};

/// A line of elements: element t is data[t * step].
template <class T>
struct strided {
    const T* data = nullptr;
    std::int64_t step = 0;
};

/// One SIMD target's kernels for element type T.
template <class T>
struct kernel_table {
    const char* target = "";
    int lanes = 1;    // elements in a vector
    int mr = 1;       // rows of a full tile, at most max_rows
    int vectors = 1;  // vectors across a full tile, at most max_vectors

    /// gemm[r - 1][v - 1]: C tile of r rows and v vectors of columns from packed panels.
    /// a: depth x r, element (i, k) at a[k * r + i].   b: (k, j) at b[k * b_step + j].
    /// Every b row is readable for v * lanes elements.
    using gemm_function = void (*)(std::int64_t depth, const T* a, const T* b, std::int64_t b_step,
                                   const output_tile<T>& out);
    gemm_function gemm[max_rows][max_vectors] = {};

    /// Packs `width` <= mr rows: (x, k) goes to to[k * width + x]. May write up to max_rows + lanes
    /// elements past the end.
    void (*pack_rows)(const pack_source<T>& from, T* to) = nullptr;

    /// Packs one vector of columns, `width` <= lanes: (x, k) goes to to[k * step + x]; lanes past
    /// `width` are filled with finite copies or zeros.
    void (*pack_columns)(const pack_source<T>& from, T* to, std::int64_t step) = nullptr;

    /// The sum over t < n of x[t] * y[t].
    T (*dot)(std::int64_t n, strided<T> x, strided<T> y) = nullptr;

    /// c[t * c_step] = alpha * x[t] * y[t] + beta * c[t * c_step] for t < n; c is not read when beta
    /// is 0.
    void (*multiply_add)(std::int64_t n, T alpha, strided<T> x, strided<T> y, T beta, T* c,
                         std::int64_t c_step) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const kernel_table<T>& gemm_kernels();

/// The same kernels as plain loops: what the others are compared with.
template <class T>
const kernel_table<T>& scalar_gemm_kernels();

template <>
const kernel_table<float>& gemm_kernels<float>();
template <>
const kernel_table<double>& gemm_kernels<double>();
template <>
const kernel_table<float>& scalar_gemm_kernels<float>();
template <>
const kernel_table<double>& scalar_gemm_kernels<double>();

}  // namespace ricci::kernels
