// The kernels of products over (maximum, +) and (minimum, +), as a table of plain functions; chosen
// for this CPU at run time. They know nothing of threads, index groups or block sizes.
#pragma once

#include <cstdint>

#include "src/kernels/algebra/terms.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::kernels {

/// Where a tile is written: element (i, j) is c[rows[i] + columns[j]], and its place is in `places`
/// at the same offset, where there are any.
template <class T>
struct extremum_tile {
    T* c = nullptr;
    const std::int64_t* rows = nullptr;
    const std::int64_t* columns = nullptr;
    const std::int32_t* column_runs = nullptr;  // how many are adjacent from each column on
    int column_count = 0;                       // columns that exist: others are not written
    bool joins = false;                         // with what C holds, which is not read otherwise
    place* places = nullptr;
    place first_place = 0;  // that of the panels' first k
};

/// What a panel holds that the fast kernels cannot take, as bits.
enum panel_content : unsigned { has_nan = 1, has_plus_infinity = 2, has_minus_infinity = 4 };

/// One SIMD target's kernels, for one of the two algebras. Panels are those that the kernel table
/// of contractions packs for T on the same target.
template <class T>
struct extremum_table {
    const char* target = "";
    int lanes = 1;    // elements in a vector
    int rows = 1;     // of a full tile
    int vectors = 1;  // across a full tile

    /// A tile of r rows and v vectors of columns, at [r - 1][v - 1], of panels in which no term is
    /// NaN: a: (i, k) at a[i * row_pitch + k]; b: (k, j) at b[k * b_step + j], depth > 0.
    using tile_function = void (*)(std::int64_t depth, const T* a, const T* b, std::int64_t b_step,
                                   const extremum_tile<T>& out);
    tile_function tile[max_rows][max_vectors] = {};
    tile_function tile_places[max_rows][max_vectors] = {};  // the same with places

    /// The same of any panels, with places or without; slower.
    void (*careful_tile)(int rows, std::int64_t depth, const T* a, const T* b, std::int64_t b_step,
                         const extremum_tile<T>& out) = nullptr;

    /// The bits of panel_content that x[0 .. n - 1] have.
    unsigned (*content)(std::int64_t n, const T* x) = nullptr;

    /// Folds side by side, of any terms.
    void (*line)(const fold_terms<T>& terms, const fold_line<T>& to) = nullptr;

    /// One fold, in vectors along the inner steps; `to.count` is 1.
    void (*along)(const fold_terms<T>& terms, const fold_line<T>& to) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const extremum_table<T>& maximum_kernels();
template <class T>
const extremum_table<T>& minimum_kernels();

template <>
const extremum_table<float>& maximum_kernels<float>();
template <>
const extremum_table<double>& maximum_kernels<double>();
template <>
const extremum_table<float>& minimum_kernels<float>();
template <>
const extremum_table<double>& minimum_kernels<double>();

}  // namespace ricci::kernels
