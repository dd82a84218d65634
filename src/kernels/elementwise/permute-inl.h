// Copies between layouts, whole cache lines of both sides at a time: tiles of a transposition, and
// runs that both sides have in common. What is written past the caches is complete for others to
// read after hwy::FlushStream.
#if defined(RICCI_KERNELS_PERMUTE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_PERMUTE_INL_H
#undef RICCI_KERNELS_PERMUTE_INL_H
#else
#define RICCI_KERNELS_PERMUTE_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/prefetch.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/gemm/transpose-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Elements of a cache line.
template <class T>
inline constexpr std::int64_t line_elements = static_cast<std::int64_t>(64 / sizeof(T));

/// How far ahead to ask in a row that just goes on.
template <class T>
inline constexpr std::int64_t in_a_row = 2 * line_elements<T>;

template <class T>
HWY_INLINE bool begins_line(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
}

/// How many elements `p` is behind the start of its cache line, if elements ever begin where lines
/// do.
template <class T>
HWY_INLINE std::int64_t behind_line(const T* p) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) %
           line_elements<T>;
}

/// A matrix whose rows are equally far apart.
template <class T>
struct even_rows {
    const T* origin;
    std::int64_t step;

    HWY_INLINE const T* row(std::int64_t i) const { return origin + i * step; }
    /// Whether the same columns of all rows have one place in the caches.
    HWY_INLINE bool compete() const {
        constexpr std::int64_t period = std::int64_t{1} << 16;
        return step * static_cast<std::int64_t>(sizeof(T)) % period == 0;
    }
    /// The part of it from element (i, j) on.
    HWY_INLINE even_rows part(std::int64_t i, std::int64_t j) const { return {row(i) + j, step}; }
};

/// A matrix whose rows are anywhere: row i begins at origin[offset[i]].
template <class T>
struct listed_rows {
    const T* origin;
    const std::int64_t* offset;

    HWY_INLINE const T* row(std::int64_t i) const { return origin + offset[i]; }
    HWY_INLINE bool compete() const { return false; }
    HWY_INLINE listed_rows part(std::int64_t i, std::int64_t j) const {
        return {origin + j, offset + i};
    }
};

// What is left over where tiles of whole lines end.
template <class T>
HWY_INLINE void transpose_rest(even_rows<T> from, T* to, std::int64_t to_step, std::int64_t rows,
                               std::int64_t columns) {
    transpose(from.origin, from.step, to, to_step, rows, columns);
}
template <class T>
HWY_INLINE void transpose_rest(listed_rows<T> from, T* to, std::int64_t to_step, std::int64_t rows,
                               std::int64_t columns) {
    for (std::int64_t i = 0; i < rows;) {
        std::int64_t end = i + 1;
        const std::int64_t step = end < rows ? from.offset[end] - from.offset[i] : 0;
        while (end < rows && from.offset[end] - from.offset[end - 1] == step) ++end;
        transpose(from.row(i), step, to + i, to_step, end - i, columns);
        i = end;
    }
}

#if HWY_TARGET != HWY_SCALAR

// A cache line of as many rows, transposed into as many cache lines; `Past` the caches when they
// are aligned ones. What comes from `Afar` is read once, whole lines: rows a power of two apart
// would otherwise push each other out of the first cache before they are used. Meanwhile the lines
// `ahead` elements from them are asked for, and those that follow soon: where nobody asked before,
// it is still time.
template <bool Past, bool Afar, class Matrix, class T>
HWY_INLINE void transpose_lines(Matrix from, T* to, std::int64_t to_step,
                                [[maybe_unused]] std::int64_t ahead) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));
    constexpr int line = static_cast<int>(line_elements<T>);
    constexpr int block = lanes_of_block<T>;
    constexpr int vectors = line / lanes;
    const T* lines[line];
    for (int x = 0; x < line; ++x) lines[x] = from.row(x);
    HWY_ALIGN T copies[Afar ? line * line : 1];
    if constexpr (Afar) {
        for (int x = 0; x < line; ++x) {
            // Into the second cache: the first may have no room for so many lines in one place.
            __builtin_prefetch(lines[x] + ahead, 0, 2);
            __builtin_prefetch(lines[x] + in_a_row<T>, 0, 2);
            RICCI_UNROLL
            for (int v = 0; v < line; v += lanes)
                hn::Store(hn::LoadU(d, lines[x] + v), d, copies + x * line + v);
            lines[x] = copies + x * line;
        }
    }
    for (int b = 0; b < line; b += block) {
        stored<V> rows[vectors][block];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) load_transposed(d, lines + v * lanes, b, rows[v]);
        RICCI_UNROLL
        for (int x = 0; x < block; ++x) {
            T* const row = to + (b + x) * to_step;
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                if constexpr (Past) hn::Stream(rows[v][x], d, row + v * lanes);
                else hn::StoreU(rows[v][x], d, row + v * lanes);
            }
        }
    }
}

#endif

// Fewer columns than a line has, of rows that are whole vectors.
template <class Matrix, class T>
HWY_INLINE void transpose_narrow(Matrix from, T* to, std::int64_t to_step, std::int64_t rows,
                                 std::int64_t columns) {
    std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<T> d;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));
    constexpr int block = lanes_of_block<T>;
    for (; j + block <= columns; j += block) {
        for (std::int64_t i = 0; i < rows; i += lanes) {
            const T* lines[lanes];
            RICCI_UNROLL
            for (int x = 0; x < lanes; ++x) lines[x] = from.row(i + x) + j;
            transpose_block(d, lines, 0, to + j * to_step + i, to_step);
        }
    }
#endif
    for (; j < columns; ++j) {
        for (std::int64_t i = 0; i < rows; ++i) to[j * to_step + i] = from.row(i)[j];
    }
}

// A line of the output at a time: every line of either side is used whole, once.
template <bool Past, bool Afar, class Matrix, class T>
HWY_INLINE void transpose_tile(Matrix from, [[maybe_unused]] std::int64_t ahead, T* to,
                               std::int64_t to_step, std::int64_t rows, std::int64_t columns) {
    std::int64_t whole_rows = 0, whole_columns = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::int64_t line = line_elements<T>;
    whole_rows = rows / line * line;
    whole_columns = columns / line * line;
    for (std::int64_t j = 0; j < whole_columns; j += line) {
        for (std::int64_t i = 0; i < whole_rows; i += line)
            transpose_lines<Past, Afar>(from.part(i, j), to + j * to_step + i, to_step, ahead);
    }
#endif
    if (whole_rows < rows)
        transpose_rest(from.part(whole_rows, 0), to + whole_rows, to_step, rows - whole_rows,
                       columns);
    if (whole_columns < columns)
        transpose_narrow(from.part(0, whole_columns), to + whole_columns * to_step, to_step,
                         whole_rows, columns - whole_columns);
}

template <class T>
void transpose_near(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                    std::int64_t rows, std::int64_t columns) {
    // Rows this far apart are those of an operand that no near cache holds; rows whole pages apart
    // have one place in the first cache.
    constexpr std::int64_t far_bytes = std::int64_t{1} << 15, page = 4096;
    const even_rows<T> matrix{from, from_step};
    const std::int64_t step_bytes = from_step * static_cast<std::int64_t>(sizeof(T));
    if (step_bytes >= far_bytes || step_bytes % page == 0)
        return transpose_tile<false, true>(matrix, 0, to, to_step, rows, columns);
    transpose_tile<false, false>(matrix, 0, to, to_step, rows, columns);
}

// to[i] = from[i] for first <= i < last, whole lines past the caches.
template <class T>
HWY_INLINE void copy_lines(const T* from, T* to, std::int64_t first, std::int64_t last) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    constexpr std::int64_t line = line_elements<T>;
    std::int64_t i = first;
    for (; i < last && !begins_line(to + i); ++i) to[i] = from[i];
    for (; i + line <= last; i += line) {
        for (std::int64_t v = 0; v < line; v += lanes)
            hn::Stream(hn::LoadU(d, from + i + v), d, to + i + v);
    }
    for (; i < last; ++i) to[i] = from[i];
}

/// Rows of the input that are walked side by side, and so elements of a row of the output that are
/// written together: where lines of the output begin anywhere in its rows; where they begin alike
/// in all of them; and where the caches have few places for the input's rows. (With 128, half of
/// the speed was lost at distances of a power of two.)
inline constexpr std::int64_t rows_abreast = 64;
template <class T>
inline constexpr std::int64_t aligned_rows_abreast = static_cast<std::int64_t>(256 / sizeof(T));
inline constexpr std::int64_t competing_rows_abreast = 32;

template <class T>
HWY_INLINE void copy_line(const T* from, T* to) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t v = 0; v < line_elements<T>; v += lanes)
        hn::StoreU(hn::LoadU(d, from + v), d, to + v);
}

/// Where the elements of a line of the output are that come before a block of rows: there are none,
/// they are read from the input, or were kept when the block before was written.
enum class lead { none, read, kept };

/// Columns whose last elements are kept from one block of rows to the next.
inline constexpr std::int64_t columns_kept = 256;

// Rows of the output whose lines begin anywhere: some of its rows at a time are transposed in a
// buffer, and each is written up to where its own last line begins. The rest is kept in `left_over`
// for the rows that follow, unless the rows end.
template <class Matrix, class T>
HWY_INLINE void transpose_skewed(Matrix from, [[maybe_unused]] std::int64_t ahead, T* to,
                                 std::int64_t to_step, std::int64_t rows, std::int64_t columns,
                                 lead before, bool ends, T* left_over) {
    constexpr std::int64_t line = line_elements<T>;
    constexpr std::int64_t pitch = rows_abreast + 3 * line;
    HWY_ALIGN T buffer[line * pitch];
    T* const fresh = buffer + line;
    for (std::int64_t j = 0; j < columns; j += line) {
        const std::int64_t across = HWY_MIN(line, columns - j);
        if (before == lead::kept) {
            for (std::int64_t x = 0; x < across; ++x)
                copy_line(left_over + (j + x) * line, buffer + x * pitch);
        }
        std::int64_t i = before == lead::read ? -line : 0;
#if HWY_TARGET != HWY_SCALAR
        for (; across == line && i + line <= rows; i += line) {
            transpose_lines<false, true>(from.part(i, j), fresh + i, pitch, ahead);
        }
#endif
        transpose_rest(from.part(i, j), fresh + i, pitch, rows - i, across);
        for (std::int64_t x = 0; x < across; ++x) {
            T* const row = to + (j + x) * to_step;
            const T* const done = fresh + x * pitch;
            copy_lines(done, row, before == lead::none ? 0 : -behind_line(row),
                       ends ? rows : rows - behind_line(row + rows));
            if (!ends) copy_line(done + rows - line, left_over + (j + x) * line);
        }
    }
}

template <class Matrix, class T>
HWY_INLINE void transpose_matrix_past(Matrix from, std::int64_t ahead, T* to, std::int64_t to_step,
                                      std::int64_t rows, std::int64_t columns, bool begins,
                                      bool ends) {
    if (begins_line(to) && to_step % line_elements<T> == 0) {
        const std::int64_t step = rows > aligned_rows_abreast<T> && from.compete()
                                      ? competing_rows_abreast
                                      : aligned_rows_abreast<T>;
        for (std::int64_t i = 0; i < rows; i += step)
            transpose_tile<true, true>(from.part(i, 0), ahead, to + i, to_step,
                                       HWY_MIN(step, rows - i), columns);
        return;
    }
    HWY_ALIGN T left_over[columns_kept * line_elements<T>];
    for (std::int64_t j = 0; j < columns; j += columns_kept) {
        lead before = begins ? lead::none : lead::read;
        for (std::int64_t i = 0; i < rows; i += rows_abreast, before = lead::kept) {
            const std::int64_t count = HWY_MIN(rows_abreast, rows - i);
            transpose_skewed(from.part(i, j), ahead, to + j * to_step + i, to_step, count,
                             HWY_MIN(columns_kept, columns - j), before, ends && i + count == rows,
                             left_over);
        }
    }
}

template <class T>
void transpose_past(const T* from, std::int64_t from_step, std::int64_t ahead, T* to,
                    std::int64_t to_step, std::int64_t rows, std::int64_t columns, bool begins,
                    bool ends) {
    transpose_matrix_past(even_rows<T>{from, from_step}, ahead, to, to_step, rows, columns, begins,
                          ends);
}

template <class T>
void transpose_listed_past(const T* from, const std::int64_t* offset, std::int64_t ahead, T* to,
                           std::int64_t to_step, std::int64_t rows, std::int64_t columns,
                           bool begins, bool ends) {
    transpose_matrix_past(listed_rows<T>{from, offset}, ahead, to, to_step, rows, columns, begins,
                          ends);
}

template <class T>
void copy_past(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
               std::int64_t rows, std::int64_t n) {
    for (std::int64_t i = 0; i < rows; ++i)
        copy_lines(from + i * from_step, to + i * to_step, std::int64_t{0}, n);
}

template <class T>
void copy_runs_past(const T* from, std::int64_t from_step, const T* coming, T* to,
                    std::int64_t to_step, std::int64_t rows, std::int64_t n) {
    // Whole runs: asked for line by line, between those that are copied, they were seen to be
    // slower.
    for (std::int64_t i = 0; i < rows; ++i) {
        ask_for(coming + i * from_step, n);
        copy_lines(from + i * from_step, to + i * to_step, std::int64_t{0}, n);
    }
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
