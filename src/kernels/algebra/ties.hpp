// The kernels of sums over ties, as a table of plain functions; chosen for this CPU at run time.
// They know nothing of threads or block sizes.
#pragma once

#include <cstdint>

#include "src/steps/ties.hpp"

namespace ricci::kernels {

inline constexpr int max_tie_vectors = 3;

/// Panels that the kernel table of contractions packs for T on the same target: of rows (i, k) at
/// rows[i * row_pitch + k], and weights likewise; of columns (k, j) at columns[k * column_step +
/// j]. `kept` and `sums` have all lanes of a tile, row after row, aligned.
template <class T>
struct tie_panels {
    const T* rows = nullptr;
    const T* weights = nullptr;
    const T* columns = nullptr;
    std::int64_t column_step = 0;
    const T* kept = nullptr;
    T* sums = nullptr;
};

template <class T>
struct tie_table {
    int lanes = 1;    // elements in a vector
    int rows = 1;     // of a tile
    int vectors = 1;  // across a full tile

    /// sums (i, j) += the sum over k < depth of the weight (i, k), or of 1, wherever row (i, k),
    /// column (k, j) and kept (i, j) pass the test. By test, whether there are weights, and vectors
    /// of the tile - 1. Every row exists.
    using tile_function = void (*)(std::int64_t depth, const tie_panels<T>& p);
    tile_function tile[2][2][max_tie_vectors] = {};
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const tie_table<T>& tie_kernels();
template <>
const tie_table<float>& tie_kernels<float>();
template <>
const tie_table<double>& tie_kernels<double>();

}  // namespace ricci::kernels
