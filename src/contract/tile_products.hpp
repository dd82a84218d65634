// Micro-kernel calls: a panel of rows with a panel of columns, into C, partial sums or a tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "src/contract/block_pass.hpp"
#include "src/contract/panel_places.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {

template <std::size_t count>
constexpr std::array<std::int64_t, count> multiples_of(std::int64_t step) {
    std::array<std::int64_t, count> made{};
    for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::int64_t>(i) * step;
    return made;
}

/// A tile of complete sums that are rounded from there into C: it holds vectors of up to 256 bytes.
struct sums_tile {
    static constexpr std::size_t row_elements = kernels::max_vectors * 64;
    static constexpr std::size_t elements = kernels::max_rows * row_elements;
    // Where its rows and columns are.
    static constexpr auto rows = multiples_of<kernels::max_rows>(row_elements);
    static constexpr auto columns = multiples_of<row_elements>(1);
};

template <class T, class Stored>
class tile_products {
public:
    tile_products(const panel_operands<T, Stored>& operands, const block_rows<T, Stored>& rows,
                  const destination<T, Stored>& to, const column_panel& first_panel)
        : operands_(operands),
          rows_(rows),
          to_(to),
          first_panel_(first_panel),
          depth_(rows.block->depth()),
          mr_(operands.left.panel_rows(rows.end - rows.first)),
          pitch_(operands.left.pitch(*rows.block)),
          in_place_(rows.block->a_step != 0) {
        left_.step = rows.block->a_step;
        left_.row_step = operands.left.row_step();
        if constexpr (!widens<T, Stored>) {
            if (in_place_) a_ = rows.a.plain() + operands.left.depth(rows.block->first);
            out_.origin = to.c;
        }
        if (to.partial) out_.origin = to.sums;
        out_.alpha = to.alpha;
        out_.beta = to.beta;
        if (rounds()) {
            out_.origin = sums_;
            out_.alpha = T{1};
            out_.beta = T{0};
        }
    }

    std::int64_t panel_rows() const { return mr_; }

    /// From here on products are written to the columns of this panel.
    __attribute__((always_inline)) void write_to(const column_panel& which) {
        out_.columns = rounds() ? sums_tile::columns.data() : to_.columns + which.first;
        out_.column_count = which.columns;
        out_.stream = to_.stream && which.lines;
        out_.prefetch = operands_.result.is_far() && !out_.stream;
        out_.halves = which.halves;
        out_.split = which.split;
        out_.adjacent = rounds() ? ~0u : which.adjacent | to_.adjacency;
    }

    /// The panel of rows from `i` on, the `number`-th, with a panel of columns, into C or the
    /// partial sums.
    __attribute__((always_inline)) void multiply(const column_panel& which,
                                                 const placed_panel<T>& at, std::int64_t i,
                                                 std::int64_t number) {
        out_.rows = rounds() ? sums_tile::rows.data() : to_.rows + i;
        call(which, at, i, number);
        if constexpr (widens<T, Stored>) {
            if (!rounds()) return;
            const std::int64_t rows = std::min(mr_, rows_.end - i);
            for (std::int64_t r = 0; r < rows; ++r)
                operands_.result.write_row(
                    which, sums_ + r * static_cast<std::int64_t>(sums_tile::row_elements),
                    to_.alpha, to_.beta, to_.c + to_.rows[i + r]);
        }
    }

    /// The same into a tile of its own. write_to() has to be called again after that.
    __attribute__((always_inline)) void multiply_apart(const column_panel& which,
                                                       const placed_panel<T>& at, std::int64_t i,
                                                       std::int64_t number, T* tile,
                                                       const std::int64_t* tile_rows,
                                                       const std::int64_t* tile_columns) {
        T* const origin = out_.origin;
        out_.origin = tile;
        out_.rows = tile_rows;
        out_.columns = tile_columns;
        out_.prefetch = false;
        call(which, at, i, number);
        out_.origin = origin;
    }

private:
    // What is stored narrower is rounded once, from a tile of complete sums.
    bool rounds() const { return widens<T, Stored> && !to_.partial; }

    __attribute__((always_inline)) void call(const column_panel& which, const placed_panel<T>& at,
                                             std::int64_t i, std::int64_t number) {
        const auto rows = static_cast<std::size_t>(std::min(mr_, rows_.end - i));
        const auto vectors = static_cast<std::size_t>(which.vectors);
        if (number < at.calls) {
            out_.next = at.next;
            out_.next.first += number * at.share;
        } else {
            out_.next.first = at.b;
            out_.next.step = out_.next.row_lines = 0;
        }
        const left_panels<T, Stored>& left = operands_.left;
        const kernels::kernel_table<T, Stored>& table = *operands_.table;
        const std::int64_t packed = (i - rows_.first) * pitch_;
        if (in_place_) {
            if constexpr (!widens<T, Stored>) left_.origin = a_ + left.row(i);
            // The next rows come from far away when the first panel meets them.
            const bool prefetches =
                operands_.left_far && i + mr_ < left.count() && &which == &first_panel_;
            left_.ahead = prefetches && left_.step == 1 ? mr_ * left_.row_step : 0;
            if (prefetches && left_.step != 1 && left_.row_step == 1) {
                constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
                out_.next = {left_.origin + line, left_.step, 0, 0, 0};
            }
            table.gemm_in_place[rows - 1][vectors - 1](depth_, left_, at.b, at.b_step, out_);
        } else if (left.packs_across()) {
            const kernels::row_panel<T> across{rows_.packed + packed, 1,
                                               static_cast<std::int64_t>(rows)};
            table.gemm_in_place[rows - 1][vectors - 1](depth_, across, at.b, at.b_step, out_);
        } else {
            table.gemm[rows - 1][vectors - 1](depth_, rows_.packed + packed, at.b, at.b_step, out_);
        }
    }

    const panel_operands<T, Stored>& operands_;
    const block_rows<T, Stored>& rows_;
    const destination<T, Stored>& to_;
    const column_panel& first_panel_;
    const std::int64_t depth_, mr_, pitch_;
    const bool in_place_;
    const T* a_ = nullptr;
    kernels::row_panel<T> left_;
    kernels::output_tile<T> out_;
    alignas(64) T sums_[widens<T, Stored> ? sums_tile::elements : 1];
};

}  // namespace ricci::contractions
