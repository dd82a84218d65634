// What the register machine reads of a fused group's operands: rows, columns and planes, copied
// into a worker's frame.
#include <algorithm>

#include "src/fused/operations.hpp"
#include "src/fused/pairs.hpp"

namespace ricci::fused {

template <class T>
void pairs<T>::load(const task& t, const pair_operand& o, const side& s, std::int64_t first,
                    std::int64_t count, std::int64_t padded, T* to) const {
    const auto k = static_cast<std::size_t>(std::max(o.operand, 0));
    const std::int64_t stride = s.loop.strides[k];
    if (o.is_place) {
        for (std::int64_t x = 0; x < count; ++x) to[x] = static_cast<T>(first + x);
    } else if (o.is_position) {
        const std::int64_t start = (o.counts_start ? t.at[k] : 0) + first * stride;
        for (std::int64_t x = 0; x < count; ++x) to[x] = static_cast<T>(start + x * stride);
    } else {
        const T* const from =
            static_cast<const T*>(t.bases[k]) + t.at[k] + o.offset + first * stride;
        if (stride == 1) {
            std::copy_n(from, count, to);
        } else {
            for (std::int64_t x = 0; x < count; ++x) to[x] = from[x * stride];
        }
    }
    if (o.product >= 0) {
        const T number = static_cast<T>(t.numbers[o.product]);
        if (number != 1)
            for (std::int64_t x = 0; x < count; ++x) to[x] *= number;
    }
    // What is no row or column is computed with all the same, as the last one that is.
    std::fill(to + count, to + padded, to[count - 1]);
}

/// Whether it matters, and all of them are.
template <class T>
bool pairs<T>::are_finite(const T* from, std::size_t count) const {
    T none = 0;
    if (program_.finite_code.empty()) return false;
    for (std::size_t k = 0; k < count; ++k) none += from[k] * T{0};
    return none == 0;
}

/// How many columns there are.
template <class T>
std::int64_t pairs<T>::pack_columns(task& t, std::int64_t first) const {
    const std::int64_t count =
        std::min<std::int64_t>(shape_.tile_columns, columns_.loop.extent - first);
    const std::int64_t padded = (count + shape_.columns - 1) / shape_.columns * shape_.columns;
    T* to = t.frame + program_.columns;
    for (const auto& o : body_.columns) {
        load(t, o, columns_, first, count, padded, to);
        to += shape_.tile_columns;
    }
    t.finite_columns = true;
    const T* from = t.frame + program_.columns;
    for (std::size_t k = 0; k < body_.columns.size(); ++k, from += shape_.tile_columns)
        t.finite_columns = t.finite_columns && are_finite(from, static_cast<std::size_t>(padded));
    return count;
}

template <class T>
void pairs<T>::pack_rows(task& t, std::int64_t row, std::int64_t count) const {
    T* to = t.frame + program_.rows;
    for (const auto& o : body_.rows) {
        load(t, o, rows_, row, count, shape_.rows(), to);
        to += shape_.rows();
    }
    t.finite_rows = are_finite(t.frame + program_.rows,
                               body_.rows.size() * static_cast<std::size_t>(shape_.rows()));
}

// Columns that are only there to fill a block, and lanes without a row, are copies of others.
template <class T>
void pairs<T>::pack_planes(const task& t, const pair_range& b, std::int64_t padded) const {
    const std::int64_t wide = shape_.rows();
    T* to = t.frame + program_.planes;
    for (const auto& o : body_.planes) {
        const auto k = static_cast<std::size_t>(o.operand);
        const std::int64_t of_row = rows_.loop.strides[k], of_column = columns_.loop.strides[k];
        const T* const from = static_cast<const T*>(t.bases[k]) + t.at[k] + o.offset +
                              b.row * of_row + b.column * of_column;
        transpose(*packing_, from, b.rows, of_row, b.columns, of_column, to, wide);
        for (std::int64_t c = 0; c < b.columns && b.rows < wide; ++c)
            std::fill(to + c * wide + b.rows, to + (c + 1) * wide, to[c * wide + b.rows - 1]);
        for (std::int64_t c = b.columns; c < padded; ++c)
            std::copy_n(to + (b.columns - 1) * wide, wide, to + c * wide);
        to += shape_.plane();
    }
}

#define RICCI_INSTANTIATE(T)                                                                  \
    template void pairs<T>::load(const task&, const pair_operand&, const side&, std::int64_t, \
                                 std::int64_t, std::int64_t, T*) const;                       \
    template bool pairs<T>::are_finite(const T*, std::size_t) const;                          \
    template std::int64_t pairs<T>::pack_columns(task&, std::int64_t) const;                  \
    template void pairs<T>::pack_rows(task&, std::int64_t, std::int64_t) const;               \
    template void pairs<T>::pack_planes(const task&, const pair_range&, std::int64_t) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
