// The kernels of fused groups, as tables of plain functions for the best SIMD target of this CPU.
// A tile has a row of memory for each column index j of a group, and its row indices i lie side by
// side in the lanes; hence maxima, sums and factors of a row i are vertical. No threads, no loops
// over tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/steps/monoid.hpp"

namespace ricci::kernels {

inline constexpr int max_fused_rows = 8;
inline constexpr int max_fused_vectors = 4;
inline constexpr int max_narrow_lanes = 8;

/// What a product does with the values that its result has already.
enum class product_mode : std::uint8_t {
    store,    // C = A B
    add,      // C = C + A B
    rescale,  // C = C * scale + A B, one scale for each lane
};

/// C[r, x] = sum over k < depth of A[r, k] B[k, x], for r < rows and all lanes x.
template <class T>
struct lane_product {
    std::int64_t rows = 0, depth = 0;
    const T* a = nullptr;  // A[r, k] is a[r * a_row + k * a_step]
    std::int64_t a_row = 0, a_step = 0;
    const T* b = nullptr;  // B[k, x] is b[k * b_step + x]
    std::int64_t b_step = 0;
    T* c = nullptr;  // C[r, x] is c[r * c_row + x]
    std::int64_t c_row = 0;
    product_mode mode = product_mode::store;
    const T* scale = nullptr;    // rescale: one for each lane
    std::int64_t ahead = 0;      // how far behind an element of A one lies that will be read later:
                                 // such are asked for meanwhile; 0: none
    std::int64_t used = 0;       // narrow products: how many lanes there are
    T factor = 1;                // narrow_lines: of A B
    T* maximum = nullptr;        // when given: maximum[x] = max(maximum[x], every C[r, x])
    const T* weights = nullptr;  // of distances with weights: one for each k,
    std::int64_t weight_row = 0,
                 weight_step = 0;  // or for each row and k, weights[r * weight_row +
                                   // k * weight_step], or each lane and k,
                                   // weights[k * weight_step + x],
    std::int64_t weight_lane = 0;  // and this 1
};

/// out[r] = the sum over k < depth of weights[k] * A[r, k]^2, or with that added, for r < rows.
template <class T>
struct line_squares {
    const T* a = nullptr;  // A[r, k] is a[r * a_row + k * a_step]
    std::int64_t a_row = 0, a_step = 0;
    std::int64_t rows = 0, depth = 0;
    const T* weights = nullptr;  // none: 1
    T* out = nullptr;
    bool add = false;
};

/// A distance that a product was made of has lost its digits to a difference of large numbers where
/// it is less than this part of the sum of both norms.
inline constexpr double least_expanded_part = 0x1p-10;

/// A tile of products of rows A[r] and of lanes B[x], whose squares have these sums.
template <class T>
struct distance_tile {
    T* c = nullptr;  // C[r, x] is c[r * c_row + x]
    std::int64_t c_row = 0;
    std::int64_t rows = 0, vectors = 0;
    const T* of_rows = nullptr;
    const T* of_lanes = nullptr;
};

/// The state of an online softmax, one number for each lane: the largest score so far, the sum of
/// weights, and the factor of what was added before.
template <class T>
struct softmax_state {
    T* maximum = nullptr;
    T* sum = nullptr;
    T* factor = nullptr;
};

/// A place that is carried beside a value, in a lane of the same size.
template <class T>
using lane_place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
/// No place yet: behind all others.
template <class T>
inline constexpr lane_place<T> no_place = std::numeric_limits<lane_place<T>>::max();

template <class T>
struct fused_table {
    const char* target = "";
    int lanes = 1;
    int vectors = 1;       // of a full tile
    int most_vectors = 1;  // that `multiply` has

    /// multiply[v - 1]: the lanes are v vectors.
    void (*multiply[max_fused_vectors])(const lane_product<T>& product) = {};
    /// The same of squared differences: the sum over k of (A[r, k] - B[k, x])^2.
    void (*distance[max_fused_vectors])(const lane_product<T>& product) = {};
    /// And of these with weights: the sum over k of weights[k] * (A[r, k] - B[k, x])^2.
    void (*weighted_distance[max_fused_vectors])(const lane_product<T>& product) = {};
    /// Likewise with weights of each row and k, and of each lane and k.
    void (*row_weighted_distance[max_fused_vectors])(const lane_product<T>& product) = {};
    void (*lane_weighted_distance[max_fused_vectors])(const lane_product<T>& product) = {};

    void (*sum_squares)(const line_squares<T>& lines) = nullptr;
    /// C[r, x] = of_rows[r] + of_lanes[x] - 2 C[r, x]. cancels[r]: whether any of these has lost
    /// its digits, or is no number though the distance may be one.
    void (*expand_distances)(const distance_tile<T>& tile, bool* cancels) = nullptr;
    /// Where that is so, C[r, x] = direct[r * lanes + x], for all lanes of the tile.
    void (*replace_distances)(const distance_tile<T>& tile, const T* direct) = nullptr;

    /// Products with fewer lanes than a vector has. Up to so many there are:
    int most_narrow = 0;
    /// C[r, x] = factor * A B, or with that added, for x < used, where A[r, k] is a[r * a_row + k]
    /// and B[k, x] is b[x * b_step + k]. C has a vector of lanes, of which the others get a result
    /// as well.
    void (*narrow_lines)(const lane_product<T>& product) = nullptr;
    /// C[r, x], which is c[x * c_row + r], = C * scale (none: 1) + A B for x < used, where A[r, k]
    /// is a[r + k * a_step]; store: C = A B * scale.
    void (*narrow_values)(const lane_product<T>& product) = nullptr;
    /// The same where B[k, x] is b[x * b_step + k].
    void (*narrow_columns)(const lane_product<T>& product) = nullptr;

    // Folds that are no sums, by steps::monoid; sums are products with 1. NaN stays.

    /// state[x] is joined with tile[r * step + x], for r < rows and x < n, whole vectors.
    void (*fold_rows[steps::monoid_count])(T* state, const T* tile, std::int64_t step,
                                           std::int64_t rows, std::size_t n) = {};
    /// state[r * lanes + x] is joined with tile[r * step + v * lanes + x], for v < vectors.
    void (*fold_lanes[steps::monoid_count])(T* state, const T* tile, std::int64_t step,
                                            std::int64_t rows, std::int64_t vectors) = {};
    /// fold_rows of a maximum or minimum, with the place of the first of equals: tile[r * step + x]
    /// stands at place first + r. What is there may stand at any places.
    void (*place_rows[steps::monoid_count])(T* value, lane_place<T>* place, const T* tile,
                                            std::int64_t step, std::int64_t rows, std::size_t n,
                                            std::int64_t first) = {};
    /// fold_lanes likewise: tile[r * step + v * lanes + x] stands at place first + v * lanes + x.
    void (*place_lanes[steps::monoid_count])(T* value, lane_place<T>* place, const T* tile,
                                             std::int64_t step, std::int64_t rows,
                                             std::int64_t vectors, std::int64_t first) = {};
    /// count[x] gets how many of tile[r * step + x] equal value[x], for r < rows and x < n, whole
    /// vectors.
    void (*count_rows)(T* count, const T* value, const T* tile, std::int64_t step,
                       std::int64_t rows, std::size_t n) = nullptr;
    /// count[r * lanes + x] gets how many of tile[r * step + v * lanes + x] equal value[r * lanes +
    /// x], for v < vectors.
    void (*count_lanes)(T* count, const T* value, const T* tile, std::int64_t step,
                        std::int64_t rows, std::int64_t vectors) = nullptr;

    /// Raises the maxima to those of the new scores; the sums become sums of exp(score - maximum)
    /// with the new maxima, and `factor` what all earlier weights have to be multiplied by. `n` is
    /// a multiple of the lanes. NaN stays.
    void (*raise)(const softmax_state<T>& state, const T* maximum, std::size_t n) = nullptr;

    /// tile[r * step + x] = exp(scores[r * step + x] - maximum[x]), and sum[x] gets their sum over
    /// r added; the scores may be the tile. The error is below 2 ulp of 1, the largest weight, for
    /// scores of any size; as a part of the weight itself it grows with the difference, which is
    /// rounded, as its product with log2(e) is. 0 for -infinity, and where the result would not be
    /// a normal number.
    void (*weigh)(T* tile, const T* scores, std::int64_t step, std::int64_t rows, std::size_t n,
                  const softmax_state<T>& state) = nullptr;
    /// The same times factor[x], and not summed; for maxima of infinity 0.
    void (*weigh_again)(T* tile, const T* scores, std::int64_t step, std::int64_t rows,
                        std::size_t n, const T* maximum, const T* factor) = nullptr;

    /// to[r * to_step + x] = factors[r] * from[r * from_step + x] + beta * to[r * to_step + x] for
    /// x < n; `to` is not read when beta is 0.
    void (*write_rows)(T* to, std::int64_t to_step, const T* from, std::int64_t from_step,
                       std::int64_t rows, std::int64_t n, const T* factors, T beta) = nullptr;

    /// log(sum) + maximum, and -infinity where the sum is 0.
    void (*log_sum_exp)(T* out, const softmax_state<T>& state, std::size_t n) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const fused_table<T>& fused_kernels();
/// The same kernels as plain loops: what the others are compared with.
template <class T>
const fused_table<T>& scalar_fused_kernels();

template <>
const fused_table<float>& fused_kernels<float>();
template <>
const fused_table<double>& fused_kernels<double>();
template <>
const fused_table<float>& scalar_fused_kernels<float>();
template <>
const fused_table<double>& scalar_fused_kernels<double>();

}  // namespace ricci::kernels
