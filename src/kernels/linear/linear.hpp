// The kernels of factorisations and triangular solves beside products, as a table of plain
// functions; chosen for this CPU at run time. They know nothing of threads or blocks.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace ricci::kernels {

/// The real type that a number is made of.
template <class T>
struct part_of {
    using type = T;
};
template <class R>
struct part_of<std::complex<R>> {
    using type = R;
};
template <class T>
using part_type = typename part_of<T>::type;

/// Parts of a number: 2 of a complex one.
template <class T>
inline constexpr std::int64_t parts = sizeof(T) / sizeof(part_type<T>);

/// Matrices of a batch that lie interleaved are in groups of so many, a cache line of parts; the
/// same on every SIMD target.
template <class T>
inline constexpr std::int64_t group_size = 64 / static_cast<std::int64_t>(sizeof(part_type<T>));

/// A whole number as wide as a part of T: rows that were exchanged, in lanes.
template <class T>
using lane_integer = std::conditional_t<sizeof(part_type<T>) == 4, std::int32_t, std::int64_t>;

/// Rows of the largest triangle that is substituted at once, and columns of the widest panel.
inline constexpr std::int64_t most_triangle_rows = 64;
inline constexpr std::int64_t most_panel_columns = 16;
/// Columns of a panel that get together what those before them leave.
inline constexpr std::int64_t columns_at_once = 4;

/// What numbers are multiplied by where they are divided: x / d is x * reciprocal * scale. The
/// scale is a power of two, and 1 unless 1 / d is near the end of the range.
template <class T>
struct divisor {
    T reciprocal{1};
    part_type<T> scale{1};
};

/// A lower triangle, packed for `substitute`: row blocks of `linear_table::triangle_rows` rows;
/// of the block from row r on, columns 0 .. r + triangle_rows - 1, of each all rows of the block.
/// Rows that do not exist have zeros and the divisor 1.
template <class T>
struct packed_triangle {
    const T* numbers = nullptr;
    const divisor<T>* divisors = nullptr;
    std::int64_t rows = 0;
    bool unit = false;    // the diagonal is 1, divisors are not read
    bool scaled = false;  // some divisor has a scale other than 1
};

/// How numbers of a batch of matrices lie interleaved: number (i, j) of lane l has its real part at
/// data[(i * row + j * column) * parts * group_size + l] and its imaginary part group_size behind.
template <class T>
struct interleaved_matrix {
    part_type<T>* data = nullptr;
    std::int64_t row = 0;
    std::int64_t column = 1;
};

/// One SIMD target's kernels.
template <class T>
struct linear_table {
    using part = part_type<T>;
    const char* target = "";
    int lanes = 1;          // parts in a vector
    int triangle_rows = 1;  // rows of a block of a packed triangle
    int panel_vectors = 1;  // vectors across a full panel of right-hand sides

    // Columns, each contiguous. Up to 63 bytes behind a column's last number are read, and left
    // alone.

    /// y[i] -= the sum over t < count of x[t * step + i] * c[t] for i < rows. Returns the bits of
    /// the largest |real part| + |imaginary part|, of which a NaN is the largest; 0 for no rows.
    std::uint64_t (*subtract_columns)(std::int64_t rows, std::int64_t count, const T* x,
                                      std::int64_t step, const T* c, T* y) = nullptr;
    /// The same for columns_at_once columns, y_step apart, whose factors are c[t * columns_at_once]
    /// and those behind it.
    void (*subtract_from_columns)(std::int64_t rows, std::int64_t count, const T* x,
                                  std::int64_t step, const T* c, T* y,
                                  std::int64_t y_step) = nullptr;
    /// The first i < rows for which |real part| + |imaginary part| has these bits, or -1.
    std::int64_t (*find)(std::int64_t rows, std::uint64_t magnitude, const T* y) = nullptr;
    /// y[i] /= what the divisor stands for, for i < rows.
    void (*divide)(std::int64_t rows, const divisor<T>& by, T* y) = nullptr;

    // Panels of right-hand sides: row i has its real parts at panel[i * parts * width] on, `width`
    // of them, and then its imaginary parts; width = v * lanes. As many rows as whole row blocks
    // have.

    /// substitute[v - 1]: the panel becomes the solution of triangle * X = panel.
    void (*substitute[3])(const packed_triangle<T>& triangle, part* panel) = {};
    /// Row i of the panel, of `count` <= width numbers, is from[i * step], contiguous; the rest is
    /// zero.
    void (*read_panel)(std::int64_t rows, std::int64_t count, const T* from, std::int64_t step,
                       part* panel, std::int64_t width) = nullptr;
    void (*write_panel)(std::int64_t rows, std::int64_t count, const part* panel,
                        std::int64_t width, T* to, std::int64_t step) = nullptr;

    // A group of small matrices, interleaved; n > 0. Kernels that factor return whether all lanes
    // went well. Otherwise failed[l], where it was negative, becomes twice the first column of lane
    // l whose pivot is not what it has to be, and 1 more where that is no finite number.

    /// P A = L U with partial pivoting, L below the diagonal of U; row pivots[k * group_size + l]
    /// was exchanged for row k of lane l.
    bool (*factor_lu)(std::int64_t n, part* a, lane_integer<T>* pivots,
                      std::int64_t* failed) = nullptr;
    /// A = L L*; of A the lower half is read, and becomes L.
    bool (*factor_cholesky)(std::int64_t n, part* a, std::int64_t* failed) = nullptr;
    /// b becomes the solution of triangle * x = b, `columns` right-hand sides of n numbers. The
    /// triangle is walked as a lower one; `unit`: its diagonal is 1.
    void (*substitute_lanes)(std::int64_t n, std::int64_t columns,
                             const interleaved_matrix<T>& triangle, bool unit, bool conjugate,
                             const interleaved_matrix<T>& b) = nullptr;
    /// Exchanges rows k and pivots[k * group_size + l] of b for k = 0 .. n - 1, or n - 1 .. 0.
    void (*exchange_lanes)(std::int64_t n, std::int64_t columns, const lane_integer<T>* pivots,
                           bool backwards, part* b) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double, complex numbers of them.
template <class T>
const linear_table<T>& linear_kernels();

template <>
const linear_table<float>& linear_kernels<float>();
template <>
const linear_table<double>& linear_kernels<double>();
template <>
const linear_table<std::complex<float>>& linear_kernels<std::complex<float>>();
template <>
const linear_table<std::complex<double>>& linear_kernels<std::complex<double>>();

}  // namespace ricci::kernels
