// Columns of a panel in Highway: what those before leave of one, its largest number, its division.
// The including file defines RICCI_LINEAR_TYPE.
#if defined(RICCI_KERNELS_LINEAR_COLUMNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINEAR_COLUMNS_INL_H
#undef RICCI_KERNELS_LINEAR_COLUMNS_INL_H
#else
#define RICCI_KERNELS_LINEAR_COLUMNS_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/linear/linear.hpp"
#include "src/kernels/linear/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// Vectors of a column that are computed side by side.
constexpr int column_vectors = 4;

/// Writes the first `count` of a vector's numbers.
HWY_INLINE void store_few(numbers x, std::int64_t count, number* y) {
    HWY_ALIGN number each[lane_count];
    store(x, each);
    std::copy(each, each + count, y);
}

// Numbers i .. i + vectors * lanes - 1 of y; the last vector of `few` > 0 has only so many.
// Returns the largest bits of each lane.
template <int vectors>
HWY_INLINE bits_vector subtract_block(std::int64_t count, const number* HWY_RESTRICT x,
                                      std::int64_t step, const number* HWY_RESTRICT c,
                                      number* HWY_RESTRICT y, std::int64_t few = 0) {
    numbers sum[vectors];
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) sum[v] = load(y + v * lane_count);
    for (std::int64_t t = 0; t < count; ++t, x += step) {
        const numbers factor = broadcast(c[t]);
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v)
            sum[v] = subtract_product(sum[v], load(x + v * lane_count), factor);
    }
    bits_vector largest = hn::Zero(bits_tag());
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) {
        bits_vector here = bits_of(magnitude(sum[v]));
        if (few > 0) {
            here = hn::IfThenElseZero(hn::FirstN(bits_tag(), static_cast<std::size_t>(few)), here);
            store_few(sum[v], few, y);
        } else {
            store(sum[v], y + v * lane_count);
        }
        largest = larger(largest, here);
    }
    return largest;
}

std::uint64_t subtract_columns(std::int64_t rows, std::int64_t count, const number* x,
                               std::int64_t step, const number* c, number* y) {
    bits_vector largest = hn::Zero(bits_tag());
    std::int64_t i = 0;
    constexpr std::int64_t block = column_vectors * lane_count;
    for (; i + block <= rows; i += block)
        largest = larger(largest, subtract_block<column_vectors>(count, x + i, step, c, y + i));
    for (; i + lane_count <= rows; i += lane_count)
        largest = larger(largest, subtract_block<1>(count, x + i, step, c, y + i));
    if (i < rows)
        largest = larger(largest, subtract_block<1>(count, x + i, step, c, y + i, rows - i));
    HWY_ALIGN hn::TFromD<bits_tag> each[lane_count];
    hn::Store(largest, bits_tag(), each);
    return static_cast<std::uint64_t>(*std::max_element(each, each + lane_count));
}

// Rows i .. i + vectors * lanes - 1 of the columns, or `few` > 0 of them.
template <int vectors>
HWY_INLINE void subtract_from_block(std::int64_t count, const number* HWY_RESTRICT x,
                                    std::int64_t step, const number* HWY_RESTRICT c,
                                    number* HWY_RESTRICT y, std::int64_t y_step,
                                    std::int64_t few = 0) {
    constexpr int columns = static_cast<int>(columns_at_once);
    numbers sum[columns][vectors];
    RICCI_UNROLL
    for (int j = 0; j < columns; ++j) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[j][v] = load(y + j * y_step + v * lane_count);
    }
    for (std::int64_t t = 0; t < count; ++t, x += step, c += columns) {
        numbers left[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) left[v] = load(x + v * lane_count);
        RICCI_UNROLL
        for (int j = 0; j < columns; ++j) {
            const numbers factor = broadcast(c[j]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                sum[j][v] = subtract_product(sum[j][v], left[v], factor);
        }
    }
    RICCI_UNROLL
    for (int j = 0; j < columns; ++j) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            if (few > 0) store_few(sum[j][v], few, y + j * y_step);
            else store(sum[j][v], y + j * y_step + v * lane_count);
        }
    }
}

void subtract_from_columns(std::int64_t rows, std::int64_t count, const number* x,
                           std::int64_t step, const number* c, number* y, std::int64_t y_step) {
    constexpr int vectors = has_imaginary ? 1 : 2;
    constexpr std::int64_t block = vectors * lane_count;
    std::int64_t i = 0;
    for (; i + block <= rows; i += block)
        subtract_from_block<vectors>(count, x + i, step, c, y + i, y_step);
    for (; i + lane_count <= rows; i += lane_count)
        subtract_from_block<1>(count, x + i, step, c, y + i, y_step);
    if (i < rows) subtract_from_block<1>(count, x + i, step, c, y + i, y_step, rows - i);
}

std::int64_t find_magnitude(std::int64_t rows, std::uint64_t bits, const number* y) {
    const bits_vector wanted = hn::Set(bits_tag(), static_cast<hn::TFromD<bits_tag>>(bits));
    for (std::int64_t i = 0; i < rows; i += lane_count) {
        const auto found = hn::Eq(bits_of(magnitude(load(y + i))), wanted);
        const auto first = static_cast<std::int64_t>(hn::FindFirstTrue(bits_tag(), found));
        if (first >= 0) return i + first < rows ? i + first : -1;
    }
    return -1;
}

void divide_column(std::int64_t rows, const divisor<number>& by, number* y) {
    const numbers reciprocal = broadcast(by.reciprocal);
    const part_vector factor = hn::Set(part_tag(), by.scale);
    const auto quotient = [&](const number* at) HWY_ATTR RICCI_INLINE_LAMBDA {
        return scale(multiply(load(at), reciprocal), factor);
    };
    std::int64_t i = 0;
    for (; i + lane_count <= rows; i += lane_count) store(quotient(y + i), y + i);
    if (i < rows) store_few(quotient(y + i), rows - i, y + i);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
