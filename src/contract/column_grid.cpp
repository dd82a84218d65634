// Packing of a B whose columns are contiguous along another loop than those of C: tiles of both loops
// are transposed in registers, a k at a time, and dealt out to the panels.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "src/contract/blocked.hpp"
#include "src/contract/element_types.hpp"

namespace ricci::contract {
namespace {

// Bytes of the part of a tile that is transposed at once; it stays in the first cache.
constexpr std::int64_t part_bytes = 24576;
constexpr std::int64_t shortest_side = 4;

// Asks for a tile whose rows are too far apart, and too many, for the hardware to follow.
template <class T>
void ask_for(const T* tile, std::int64_t step, std::int64_t rows, std::int64_t columns) {
    constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; j += line) __builtin_prefetch(tile + i * step + j);
    }
}

}  // namespace

template <class T, class Stored>
bool blocked<T, Stored>::find_grid() {
    if constexpr (!widens) {
        if (table_->transpose == nullptr || groups_.n.size() < 2) return false;
        const steps::contraction_loop& fast = groups_.n.back();
        const steps::contraction_loop& other = groups_.n[groups_.n.size() - 2];
        if (other.b != 1 || fast.b == 1 || other.extent < shortest_side ||
            fast.extent < shortest_side ||
            shortest_side * fast.extent * static_cast<std::int64_t>(sizeof(T)) > part_bytes) {
            return false;
        }
        grid_ = {fast.extent, other.extent, fast.b};
        return true;
    }
    return false;
}

template <class T, class Stored>
void blocked<T, Stored>::pack_grid(const Stored* b, std::int64_t panel, std::int64_t panel_end,
                                   std::int64_t k, std::int64_t k_end, std::int64_t from_k,
                                   std::int64_t to_k, T* to) const {
    if constexpr (!widens) {
        alignas(64) T part[static_cast<std::size_t>(part_bytes) / sizeof(T)];
        const std::int64_t most = part_bytes / static_cast<std::int64_t>(sizeof(T)) / grid_.rows;
        const std::int64_t first = packed_column(panel);
        const std::int64_t end = std::min(n_, packed_column(panel_end));
        const std::int64_t tile_columns = grid_.rows * grid_.columns;
        // Where the panel that `column` is in has row `row` of k, and how far the panel goes.
        std::int64_t in_panel = panel;
        const auto deal_out = [&](const T* from, std::int64_t column, std::int64_t last,
                                  std::int64_t row) {
            while (column < last) {
                while (panels_[static_cast<std::size_t>(in_panel)].first > column) --in_panel;
                while (packed_column(in_panel + 1) <= column) ++in_panel;
                const column_panel& which = panels_[static_cast<std::size_t>(in_panel)];
                const std::int64_t width = std::int64_t{which.vectors} * table_->lanes;
                const std::int64_t stop = std::min(last, which.first + which.columns);
                T* const here = to + (which.first - first) * (k_end - k) + (row - k) * width +
                                (column - which.first);
                std::copy(from, from + (stop - column), here);
                from += stop - column;
                column = stop;
            }
        };
        for (std::int64_t row = from_k; row < to_k; ++row) {
            const T* const line = b + b_depth_.offset[static_cast<std::size_t>(row)];
            const T* const following =
                row + 1 < to_k ? b + b_depth_.offset[static_cast<std::size_t>(row) + 1] : nullptr;
            for (std::int64_t tile = first / tile_columns * tile_columns; tile < end;
                 tile += tile_columns) {
                const std::int64_t begin = std::max(tile, first) - tile;
                const std::int64_t stop = std::min(tile + tile_columns, end) - tile;
                const std::int64_t j_end = (stop + grid_.rows - 1) / grid_.rows;
                for (std::int64_t j = begin / grid_.rows; j < j_end; j += most) {
                    const std::int64_t j_stop = std::min(j_end, j + most);
                    const std::int64_t from_here =
                        b_columns_.offset[static_cast<std::size_t>(tile)] + j;
                    if (following != nullptr)
                        ask_for(following + from_here, grid_.step, grid_.rows, j_stop - j);
                    table_->transpose(line + from_here, grid_.step, part, grid_.rows, grid_.rows,
                                      j_stop - j);
                    const std::int64_t from = std::max(begin, j * grid_.rows);
                    deal_out(part + (from - j * grid_.rows), tile + from,
                             tile + std::min(stop, j_stop * grid_.rows), row);
                }
            }
            // Columns that do not exist are multiplied, and thrown away.
            if (end == n_ && panel_end == cut_.panels) {
                const column_panel& last = panels_.back();
                const std::int64_t width = std::int64_t{last.vectors} * table_->lanes;
                T* const here = to + (last.first - first) * (k_end - k) + (row - k) * width;
                std::fill(here + last.columns, here + width, T{0});
            }
        }
    }
}

#define RICCI_INSTANTIATE(...)                                                                    \
    template bool blocked<__VA_ARGS__>::find_grid();                                              \
    template void blocked<__VA_ARGS__>::pack_grid(const stored_type*, std::int64_t, std::int64_t, \
                                                  std::int64_t, std::int64_t, std::int64_t,       \
                                                  std::int64_t, computed_type*) const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
