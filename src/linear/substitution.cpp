// Substitution in a small triangle: it is packed once, and right-hand sides go through a panel of
// a few vectors.
#include "src/linear/substitution.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/linear/numbers.hpp"
#include "src/linear/substitution_of_one.hpp"

namespace ricci::linear {
namespace {

using kernels::most_triangle_rows;
constexpr std::int64_t most_block_rows = 8;
constexpr std::int64_t most_panel_bytes =
    (most_triangle_rows + most_block_rows) * 4 * 64;  // of a row: three vectors, or two pairs
// Panels that a task takes, so that it has something to do.
constexpr std::int64_t panels_per_task = 4;

template <class T>
struct triangle_memory {
    static constexpr std::int64_t most_numbers =
        (most_triangle_rows + most_block_rows) * (most_triangle_rows + most_block_rows) / 2 +
        most_triangle_rows * most_block_rows;
    alignas(64) T numbers[most_numbers];
    kernels::divisor<T> divisors[most_triangle_rows + most_block_rows];
};

template <class T>
kernels::packed_triangle<T> pack(const triangle& which, const T* matrix, std::int64_t block,
                                 triangle_memory<T>& memory) {
    const T* const from = matrix + which.offset;
    const auto value = [&](std::int64_t i, std::int64_t j) {
        const T x = from[i * which.row + j * which.column];
        return which.conjugated ? conjugated(x) : x;
    };
    kernels::packed_triangle<T> made{memory.numbers, memory.divisors, which.size, which.unit,
                                     false};
    T* to = memory.numbers;
    for (std::int64_t row = 0; row < which.size; row += block) {
        const std::int64_t rows = std::min(block, which.size - row);
        for (std::int64_t j = 0; j < row + block; ++j, to += block) {
            const std::int64_t first = std::clamp<std::int64_t>(j + 1 - row, 0, rows);
            std::fill(to, to + first, T{});
            for (std::int64_t i = first; i < rows; ++i) to[i] = value(row + i, j);
            std::fill(to + rows, to + block, T{});
        }
        if (which.unit) continue;
        for (std::int64_t i = row; i < row + block; ++i) {
            kernels::divisor<T> by;
            if (i < which.size) by = make_divisor(value(i, i));
            made.scaled = made.scaled || by.scale != 1;
            memory.divisors[i] = by;
        }
    }
    return made;
}

/// Right-hand sides [first, first + count) of `rows` rows.
template <class T>
struct panel_part {
    T* sides = nullptr;
    const side_rows* at = nullptr;
    const contractions::offset_vector* columns = nullptr;
    std::int64_t rows = 0, first = 0, count = 0;

    T* origin() const { return sides + at->offset; }
    std::int64_t offset(std::int64_t j) const {
        return columns->offset[static_cast<std::size_t>(first + j)];
    }
    bool adjacent() const { return columns->run[static_cast<std::size_t>(first)] >= count; }
    /// Where they are columns of their own, contiguous, which are transposed: how far apart; else
    /// 0.
    std::int64_t distance() const {
        if (!std::is_floating_point_v<T> || (at->row != 1 && at->row != -1) || count < 2) return 0;
        return contractions::uniform_step(*columns, first, first + count);
    }
};

template <class T>
void read(const kernels::linear_table<T>& table, const panel_part<T>& from, part_type<T>* panel,
          std::int64_t width) {
    constexpr std::int64_t parts = kernels::parts<T>;
    const std::int64_t rows = from.rows;
    if (from.adjacent()) {
        table.read_panel(rows, from.count, from.origin() + from.offset(0), from.at->row, panel,
                         width);
    } else {
        if (from.count < width) std::fill(panel, panel + rows * width * parts, part_type<T>{0});
        if constexpr (std::is_floating_point_v<T>) {
            if (const std::int64_t distance = from.distance(); distance != 0) {
                const bool up = from.at->row == 1;
                const T* const lowest = from.origin() + from.offset(0) + (up ? 0 : 1 - rows);
                kernels::elementwise<T>().transpose(lowest, distance,
                                                    up ? panel : panel + (rows - 1) * width,
                                                    up ? width : -width, from.count, rows);
                return;
            }
        }
        for (std::int64_t j = 0; j < from.count; ++j) {
            const T* x = from.origin() + from.offset(j);
            part_type<T>* to = panel + j;
            for (std::int64_t i = 0; i < rows; ++i, x += from.at->row, to += parts * width) {
                to[0] = real_of(*x);
                if constexpr (parts == 2) to[width] = x->imag();
            }
        }
    }
}

template <class T>
void write(const kernels::linear_table<T>& table, const part_type<T>* panel, std::int64_t width,
           const panel_part<T>& to) {
    constexpr std::int64_t parts = kernels::parts<T>;
    const std::int64_t rows = to.rows;
    if (to.adjacent()) {
        table.write_panel(rows, to.count, panel, width, to.origin() + to.offset(0), to.at->row);
        return;
    }
    if constexpr (std::is_floating_point_v<T>) {
        if (const std::int64_t distance = to.distance(); distance != 0) {
            const bool up = to.at->row == 1;
            T* const lowest = to.origin() + to.offset(0) + (up ? 0 : 1 - rows);
            kernels::elementwise<T>().transpose(up ? panel : panel + (rows - 1) * width,
                                                up ? width : -width, lowest, distance, rows,
                                                to.count);
            return;
        }
    }
    for (std::int64_t j = 0; j < to.count; ++j) {
        T* x = to.origin() + to.offset(j);
        const part_type<T>* from = panel + j;
        for (std::int64_t i = 0; i < rows; ++i, x += to.at->row, from += parts * width) {
            if constexpr (parts == 2) *x = T(from[0], from[width]);
            else *x = from[0];
        }
    }
}

}  // namespace

template <class T>
void substitute(const kernels::linear_table<T>& table, const triangle& which, const T* matrix,
                const side_rows& rows, const contractions::offset_vector& columns, T* sides) {
    const auto count = static_cast<std::int64_t>(columns.offset.size());
    if (count <= few_sides && has_lines(which)) {
        for (const std::int64_t column : columns.offset)
            substitute_one(table, which, matrix, sides + rows.offset + column, rows.row);
        return;
    }
    triangle_memory<T> memory;
    const kernels::packed_triangle<T> packed = pack(which, matrix, table.triangle_rows, memory);
    const std::int64_t widest = static_cast<std::int64_t>(table.panel_vectors) * table.lanes;
    const std::int64_t panels = ceil_divide(count, widest);
    auto solve = [&](std::int64_t number, int) {
        alignas(64) part_type<T> panel[most_panel_bytes / sizeof(part_type<T>)];
        panel_part<T> at{sides, &rows, &columns, which.size, number * widest, 0};
        at.count = std::min(widest, count - at.first);
        const std::int64_t vectors = ceil_divide(at.count, table.lanes);
        const std::int64_t width = vectors * table.lanes;
        const std::int64_t padded = round_up(which.size, table.triangle_rows);
        std::fill(panel + which.size * width * kernels::parts<T>,
                  panel + padded * width * kernels::parts<T>, part_type<T>{0});
        read(table, at, panel, width);
        table.substitute[vectors - 1](packed, panel);
        write(table, panel, width, at);
    };
    const double flops = static_cast<double>(which.size) * static_cast<double>(which.size) *
                         static_cast<double>(count) * (is_complex_number<T> ? 4 : 1);
    contractions::distribute_units(panels, panels_per_task, flops < contractions::serial_flops,
                                   solve);
}

#define RICCI_INSTANTIATE(T)                                                             \
    template void substitute(const kernels::linear_table<T>&, const triangle&, const T*, \
                             const side_rows&, const contractions::offset_vector&, T*)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
