// The kernels a contraction is made of, as a table of plain functions; chosen for this CPU at run
// time. They know nothing of threads, index groups or block sizes.
#pragma once

#include <cstdint>

namespace ricci::kernels {

inline constexpr int max_rows = 8;
inline constexpr int max_vectors = 4;

/// How many k a block of A holds at most, and how far apart its packed rows are: no power of two,
/// so that they do not compete for the same places in the cache.
template <class T>
inline constexpr std::int64_t most_depth = sizeof(T) > 8 ? 256 : 512;
template <class T>
inline constexpr std::int64_t row_pitch = most_depth<T> + 16;

/// The rows of A that a micro-kernel reads: element (i, k) is origin[i * row_step + k * step].
template <class T>
struct row_panel {
    const T* origin = nullptr;
    std::int64_t row_step = 0;
    std::int64_t step = 1;
    // When not 0: how far behind each element one lies that will be read later, from far away in
    // the memory hierarchy; such are asked for meanwhile. Only where `step` is 1.
    std::int64_t ahead = 0;
};

/// Lines of memory that a later call will read, asked for one with each k: `step` elements apart,
/// and after `row_lines` of them `jump` further on, for so many rows. No row_lines: as many as
/// there are k, near.
template <class T>
struct asked_lines {
    const T* first = nullptr;
    std::int64_t step = 0;
    std::int64_t row_lines = 0;
    std::int64_t jump = 0;
    std::int64_t rows = 0;
};

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
    // Otherwise, bit v of `halves`: those before split[v] are, and so are those from there on.
    unsigned halves = 0;
    const std::uint8_t* split = nullptr;
    T alpha = T{1};
    T beta = T{0};
    bool prefetch = false;  // this part of C is far away in the memory hierarchy
    // Whole cache lines of C are written past the caches, when beta is 0 and every vector is
    // adjacent and aligned; kernel_table::end_streams() is called before another thread reads them.
    bool stream = false;
    asked_lines<T> next;
};

/// A part of an operand to be packed: `width` lines side by side, `depth` elements along k each.
/// Element (x, k) is origin[across[x] + along[k]]. A run is the number of elements, itself
/// included, that follow each other at unit stride from there on: `along_run` counts those that are
/// `along_stretch` apart in k, neighbours when that is 1.
template <class T>
struct pack_source {
    const T* origin = nullptr;
    const std::int64_t* across = nullptr;
    const std::int64_t* along = nullptr;
    const std::int32_t* across_run = nullptr;
    const std::int32_t* along_run = nullptr;
    int width = 0;
    std::int64_t depth = 0;
    std::int64_t along_stretch = 1;
};

/// A part of an operand that is packed for products of many batches at once, a batch in each lane:
/// `width` lines of `depth` elements along k, each a vector of batches. Element (x, k) of batch l
/// is origin[across[x] + along[k] + l * step].
template <class T>
struct lane_source {
    const T* origin = nullptr;
    const std::int64_t* across = nullptr;
    const std::int64_t* along = nullptr;
    int width = 0;
    std::int64_t depth = 0;
    std::int64_t step = 1;
    int lanes = 0;  // batches that exist
};

/// Where such a product is written: element (i, j) of batch l is
/// origin[rows[i] + columns[j] + l * step]. C is not read when beta is 0.
template <class T>
struct lane_tile {
    T* origin = nullptr;
    const std::int64_t* rows = nullptr;
    const std::int64_t* columns = nullptr;
    int column_count = 0;  // columns that exist; the others of the tile are not written
    std::int64_t step = 1;
    int lanes = 0;
    T alpha = T{1};
    T beta = T{0};
};

inline constexpr int max_lane_rows = 4;

/// Where the operands of a product begin.
struct product_places {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
};

/// Small matrices of many batches, all of them dense along n, without their addresses: batch l has
/// A(i, k) at a[l * a_batch + i * a_row + k * a_step], B(k, j) at b[l * b_batch + k * b_step + j]
/// and C(i, j) at c[l * c_batch + i * c_row + j] for j < columns. C = alpha * A B + beta * C; C is
/// not read when beta is 0.
template <class T>
struct small_matrices {
    std::int64_t batches = 1;
    std::int64_t depth = 0;
    std::int64_t a_batch = 0, a_row = 0, a_step = 1;
    std::int64_t b_batch = 0, b_step = 0;
    std::int64_t c_batch = 0, c_row = 0;
    int columns = 0;
    T alpha = T{1};
    T beta = T{0};
    // Batches to those whose rows of A, columns of B and part of C are asked for meanwhile: what is
    // written, too, comes from memory before.
    std::int64_t ahead = 0;
    bool ask_a = false, ask_b = false, ask_c = false;
};

/// A line of elements: element t is data[t * step].
template <class T>
struct strided {
    const T* data = nullptr;
    std::int64_t step = 0;
};

/// One SIMD target's kernels that compute in T on operands stored as `Stored`. What a packed panel
/// holds is the table's own affair, as long as it has room for it.
template <class T, class Stored = T>
struct kernel_table {
    const char* target = "";
    int lanes = 1;    // elements in a vector
    int mr = 1;       // rows of a full tile, at most max_rows
    int vectors = 1;  // vectors across a full tile, at most max_vectors
    // Rows of a tile that is one vector wider, for narrow operands that fill such tiles; 0 when
    // there is none.
    int wide_rows = 0;

    /// Elements of a row of A in a packed panel; 0 when there are as many as the block has k.
    std::int64_t panel_pitch = 0;

    /// gemm[r - 1][v - 1]: C tile of r rows and v vectors of columns from packed panels.
    /// a: (i, k) at a[i * row_pitch + k].   b: (k, j) at b[k * b_step + j].
    /// Every b row is readable for v * lanes elements.
    using gemm_function = void (*)(std::int64_t depth, const T* a, const T* b, std::int64_t b_step,
                                   const output_tile<T>& out);
    gemm_function gemm[max_rows][max_vectors] = {};

    /// The same with rows of A where they lie; and B, too, may be one that is not packed. None
    /// where operands have to be packed.
    using in_place_function = void (*)(std::int64_t depth, const row_panel<T>& a, const T* b,
                                       std::int64_t b_step, const output_tile<T>& out);
    in_place_function gemm_in_place[max_rows][max_vectors] = {};

    /// multiply_direct[r - 1][v - 1]: r rows of such matrices, depth > 0, and as many columns as v
    /// vectors hold, not as few as v - 1 do. r <= direct_rows[v - 1], which is 0 where there is
    /// none for v. `count` such products, one after the other: one may read what those before it
    /// have written.
    using direct_function = void (*)(const small_matrices<T>& matrices, const product_places* at,
                                     std::int64_t count);
    direct_function multiply_direct[max_rows][max_vectors] = {};
    int direct_rows[max_vectors] = {};
    bool direct_masks = false;  // whether the last vector may have fewer columns than lanes

    /// Packs `width` <= mr rows of depth <= most_depth: (x, k) goes to to[x * row_pitch + k].
    void (*pack_rows)(const pack_source<Stored>& from, T* to) = nullptr;

    /// Packs them the other way, for gemm_in_place: (x, k) goes to to[k * width + x]. None where
    /// that is none.
    void (*pack_across)(const pack_source<Stored>& from, T* to) = nullptr;

    /// Packs one vector of columns, `width` <= lanes: (x, k) goes to to[k * step + x]; lanes past
    /// `width` are filled with finite copies or zeros.
    void (*pack_columns)(const pack_source<Stored>& from, T* to, std::int64_t step) = nullptr;

    /// to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns: B where it is
    /// contiguous across, but along other columns than C. None where that is packed as it comes.
    void (*transpose)(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                      std::int64_t rows, std::int64_t columns) = nullptr;

    /// Writes whole cache lines past the caches: to[t] = from[t] for t < n, both aligned to a line.
    /// Neither this nor end_streams where C is never written so.
    void (*stream_lines)(std::int64_t n, const T* from, T* to) = nullptr;
    void (*end_streams)() = nullptr;

    /// Products of a vector of batches: rows of a full tile, and columns of a full and of a narrow
    /// one.
    int lane_rows = 0;
    int lane_columns = 0;
    int narrow_lane_columns = 0;

    /// multiply_lanes[r - 1][w]: r rows, and the columns of a narrow (w = 0) or a full tile (w =
    /// 1). a: (i, k) at a[(k * r + i) * lanes].   b: (k, j) at b[(k * columns + j) * lanes].
    using lanes_function = void (*)(std::int64_t depth, const T* a, const T* b,
                                    const lane_tile<T>& out);
    lanes_function multiply_lanes[max_lane_rows][2] = {};

    /// Packs `width` lines for them, A or B: (x, k) goes to to[(k * padded + x) * lanes]; lanes and
    /// lines that do not exist are filled with finite numbers.
    using pack_lanes_function = void (*)(const lane_source<Stored>& from, T* to, int padded);
    pack_lanes_function pack_lanes_a = nullptr;
    pack_lanes_function pack_lanes_b = nullptr;

    /// The sum over t < n of x[t] * y[t].
    T (*dot)(std::int64_t n, strided<Stored> x, strided<Stored> y) = nullptr;

    /// sums[r] = the sum over t < n of a[r * a_step + t] * y[t] for r < rows. None where dot is
    /// called for each row.
    void (*dot_rows)(std::int64_t n, std::int64_t rows, const Stored* a, std::int64_t a_step,
                     const Stored* y, T* sums) = nullptr;

    /// c[t * c_step] = alpha * x[t] * y[t] + beta * c[t * c_step] for t < n; c is not read when
    /// beta is 0.
    void (*multiply_add)(std::int64_t n, T alpha, strided<Stored> x, strided<Stored> y, T beta,
                         T* c, std::int64_t c_step) = nullptr;

    /// c[t] = beta * c[t] + the sum over r < rows of alpha * x[r] * a[r * a_step + t] for t < n,
    /// rows > 0; c is not read when beta is 0. None where multiply_add is called for each row.
    void (*add_multiples)(std::int64_t n, std::int64_t rows, T alpha, strided<Stored> x,
                          const Stored* a, std::int64_t a_step, T beta, T* c) = nullptr;

    /// Where T is wider than what is stored: c[j * c_step] = alpha * sums[j] + beta * c[j *
    /// c_step], rounded once, for j < n; c is not read when beta is 0.
    void (*write)(std::int64_t n, T alpha, const T* sums, T beta, Stored* c,
                  std::int64_t c_step) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double, std::uint32_t, std::uint64_t
/// (whole numbers modulo 2^32 and 2^64: signed ones too). Other types have headers of their own.
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
const kernel_table<std::uint32_t>& gemm_kernels<std::uint32_t>();
template <>
const kernel_table<std::uint64_t>& gemm_kernels<std::uint64_t>();
template <>
const kernel_table<float>& scalar_gemm_kernels<float>();
template <>
const kernel_table<double>& scalar_gemm_kernels<double>();
template <>
const kernel_table<std::uint32_t>& scalar_gemm_kernels<std::uint32_t>();
template <>
const kernel_table<std::uint64_t>& scalar_gemm_kernels<std::uint64_t>();

}  // namespace ricci::kernels
