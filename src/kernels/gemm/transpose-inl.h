// Transposition in registers: of blocks for packing, and of whole matrices.
#if defined(RICCI_KERNELS_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_TRANSPOSE_INL_H
#undef RICCI_KERNELS_TRANSPOSE_INL_H
#else
#define RICCI_KERNELS_TRANSPOSE_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Elements of a 16-byte block.
template <class T>
inline constexpr int lanes_of_block = static_cast<int>(16 / sizeof(T));

// Block b of the result holds the 16 bytes at lines[b * block_lanes] + offset.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* const* lines, std::int64_t offset) {
    constexpr int block_lanes = lanes_of_block<T>;
    if constexpr (hn::MaxLanes(D()) == static_cast<std::size_t>(block_lanes)) {
        return hn::LoadU(d, lines[0] + offset);
    } else {
        const hn::CappedTag<T, hn::MaxLanes(D()) / 2> half;
        const auto low = load_blocks(half, lines, offset);
        const auto high = load_blocks(half, lines + hn::MaxLanes(half), offset);
        return hn::Combine(d, high, low);
    }
}

// The block_lanes elements of every line from `offset` on: vector x holds element x of each.
template <class D, class T>
HWY_INLINE void load_transposed(D d, const T* const* lines, std::int64_t offset,
                                stored<hn::Vec<D>> (&to)[lanes_of_block<T>]) {
    if constexpr (sizeof(T) == 8) {
        const auto even = load_blocks(d, lines, offset);
        const auto odd = load_blocks(d, lines + 1, offset);
        to[0] = hn::InterleaveLower(d, even, odd);
        to[1] = hn::InterleaveUpper(d, even, odd);
    } else {
        const auto line0 = load_blocks(d, lines, offset);
        const auto line1 = load_blocks(d, lines + 1, offset);
        const auto line2 = load_blocks(d, lines + 2, offset);
        const auto line3 = load_blocks(d, lines + 3, offset);
        const auto low02 = hn::InterleaveLower(d, line0, line2);
        const auto low13 = hn::InterleaveLower(d, line1, line3);
        const auto high02 = hn::InterleaveUpper(d, line0, line2);
        const auto high13 = hn::InterleaveUpper(d, line1, line3);
        to[0] = hn::InterleaveLower(d, low02, low13);
        to[1] = hn::InterleaveUpper(d, low02, low13);
        to[2] = hn::InterleaveLower(d, high02, high13);
        to[3] = hn::InterleaveUpper(d, high02, high13);
    }
}

// Reads block_lanes elements of every line and writes them as block_lanes rows.
template <class D, class T>
HWY_INLINE void transpose_block(D d, const T* const* lines, std::int64_t offset, T* to,
                                std::int64_t step) {
    stored<hn::Vec<D>> rows[lanes_of_block<T>];
    load_transposed(d, lines, offset, rows);
    RICCI_UNROLL
    for (int x = 0; x < lanes_of_block<T>; ++x) hn::StoreU(rows[x], d, to + x * step);
}

#endif

#if HWY_TARGET != HWY_SCALAR

// Transposes rows [i, rows) as long as there are as many as D has lanes; returns where it stopped.
template <class D, class T>
HWY_INLINE std::int64_t transpose_rows(D d, std::int64_t i, const T* from, std::int64_t from_step,
                                       T* to, std::int64_t to_step, std::int64_t rows,
                                       std::int64_t columns) {
    constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    constexpr int block = lanes_of_block<T>;
    constexpr int line = static_cast<int>(64 / sizeof(T));
    static_assert(line % lanes == 0);
    for (; i + lanes <= rows; i += lanes) {
        const T* lines[lanes];
        for (int x = 0; x < lanes; ++x) lines[x] = from + (i + x) * from_step;
        std::int64_t j = 0;
        // Lines a power of two apart compete for the same few places in the cache: each is read
        // once, a cache line at a time, and asked for before.
        HWY_ALIGN T near_by[lanes * line];
        const T* near_lines[lanes];
        for (int x = 0; x < lanes; ++x) near_lines[x] = near_by + x * line;
        for (; j + line <= columns; j += line) {
            for (int x = 0; x < lanes; ++x) {
                hwy::Prefetch(lines[x] + j + 2 * line);
                for (int v = 0; v < line; v += lanes)
                    hn::Store(hn::LoadU(d, lines[x] + j + v), d, near_by + x * line + v);
            }
            for (int b = 0; b < line; b += block) {
                transpose_block(d, near_lines, b, to + (j + b) * to_step + i, to_step);
            }
        }
        for (; j + block <= columns; j += block) {
            transpose_block(d, lines, j, to + j * to_step + i, to_step);
        }
        for (; j < columns; ++j) {
            for (int x = 0; x < lanes; ++x) to[j * to_step + i + x] = lines[x][j];
        }
    }
    return i;
}

#endif

/// to[j * to_step + i] = from[i * from_step + j] for i < rows, j < columns.
template <class T>
void transpose(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
               std::int64_t rows, std::int64_t columns) {
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::size_t block = static_cast<std::size_t>(lanes_of_block<T>);
    const hn::ScalableTag<T> d;
    i = transpose_rows(d, i, from, from_step, to, to_step, rows, columns);
    if constexpr (hn::MaxLanes(hn::ScalableTag<T>()) > 2 * block) {
        const hn::CappedTag<T, 2 * block> half;
        i = transpose_rows(half, i, from, from_step, to, to_step, rows, columns);
    }
    if constexpr (hn::MaxLanes(hn::ScalableTag<T>()) > block) {
        const hn::CappedTag<T, block> narrow;
        i = transpose_rows(narrow, i, from, from_step, to, to_step, rows, columns);
    }
#endif
    for (; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) to[j * to_step + i] = from[i * from_step + j];
    }
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
