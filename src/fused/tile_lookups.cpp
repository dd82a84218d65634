// Operands of tiles that are read where whole numbers say.
#include "src/fused/tile_lookups.hpp"

#include <algorithm>
#include <stdexcept>

namespace ricci::fused {
namespace {

// Rows of a tile; columns that are read at once.
constexpr std::int64_t most_rows_of_lookups = 256, columns_of_lookups = 64;

}  // namespace

looked_up_operand::looked_up_operand(const steps::fused_group& what, const geometry& g,
                                     std::size_t operand)
    : operand_(operand), step_(g.strides(operand)) {
    for (const auto& l : what.lookups) {
        if (static_cast<std::size_t>(l.operand) != operand) continue;
        const auto numbers = static_cast<std::size_t>(l.numbers);
        axes_.push_back({numbers, l.type == element::i64, l.stride, l.extent, g.strides(numbers)});
        if (axes_.back().step.row != 0 && axes_.back().step.column != 0)
            throw std::invalid_argument("places that are said for each pair");
    }
}

// Adds to places what numbers say.
void looked_up_operand::move(const axis& a, const void* numbers, std::int64_t first,
                             std::int64_t step, std::int64_t count, std::int64_t* places,
                             bool* exists) const {
    const auto add = [&](const auto* from) {
        for (std::int64_t x = 0; x < count; ++x) {
            const std::int64_t number = from[first + x * step];
            const bool is_place = number >= 0 && number < a.extent;
            exists[x] = exists[x] && is_place;
            places[x] += is_place ? number * a.stride : 0;
        }
    };
    if (a.is_wide) add(static_cast<const std::int64_t*>(numbers));
    else add(static_cast<const std::int32_t*>(numbers));
}

template <class T>
void looked_up_operand::read(const part& p, void* const* bases, const std::int64_t* at,
                             T* to) const {
    std::int64_t rows[most_rows_of_lookups], columns[columns_of_lookups];
    bool has_row[most_rows_of_lookups], has_column[columns_of_lookups];
    const auto find = [&](bool of_rows, std::int64_t first, std::int64_t count, std::int64_t stride,
                          std::int64_t* places, bool* exists) {
        for (std::int64_t x = 0; x < count; ++x) places[x] = (first + x) * stride;
        std::fill_n(exists, count, true);
        for (const axis& a : axes_) {
            if (a.of_rows() != of_rows) continue;
            const std::int64_t step = of_rows ? a.step.row : a.step.column;
            move(a, bases[a.numbers], at[a.numbers] + first * step, step, count, places, exists);
        }
    };
    const T* const from = static_cast<const T*>(bases[operand_]) + at[operand_];
    find(true, p.row, p.rows, step_.row, rows, has_row);
    const bool all_rows = std::all_of(has_row, has_row + p.rows, [](bool is) { return is; });
    const bool side_by_side =
        step_.row == 1 && std::ranges::none_of(axes_, [](const axis& a) { return a.of_rows(); });
    for (std::int64_t c = 0; c < p.columns; c += columns_of_lookups) {
        const std::int64_t some = std::min(columns_of_lookups, p.columns - c);
        find(false, p.column + c, some, step_.column, columns, has_column);
        for (std::int64_t k = 0; k < some; ++k, to += p.width) {
            const T* const column = from + columns[k];
            if (!has_column[k]) {
                std::fill_n(to, p.rows, T{1});
            } else if (side_by_side) {
                std::copy_n(column + rows[0], p.rows, to);
            } else if (all_rows) {
                for (std::int64_t x = 0; x < p.rows; ++x) to[x] = column[rows[x]];
            } else {
                for (std::int64_t x = 0; x < p.rows; ++x)
                    to[x] = has_row[x] ? column[rows[x]] : T{1};
            }
            std::fill(to + p.rows, to + p.width, T{0});
        }
    }
}

landing_values::landing_values(const steps::tile_consumer& consumer, const geometry& g)
    : numbers_(consumer.landing), is_wide_(consumer.landing_type == element::i64) {
    if (!exists()) return;
    const auto step = g.strides(static_cast<std::size_t>(numbers_));
    const bool of_columns = consumer.summed == steps::loop_role::column;
    if ((of_columns ? step.row : step.column) != 0 || consumer.values.size() != 1)
        throw std::invalid_argument("places that are said for each pair");
    step_ = of_columns ? step.column : step.row;
    count_ = consumer.values[0].extent;
}

template void looked_up_operand::read(const part&, void* const*, const std::int64_t*, float*) const;
template void looked_up_operand::read(const part&, void* const*, const std::int64_t*,
                                      double*) const;

}  // namespace ricci::fused
