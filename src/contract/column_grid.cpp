// Tiles of columns, transposed while they are packed.
#include "src/contract/column_grid.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

#include "src/base/arithmetic.hpp"
#include "src/contract/element_types.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

// Bytes of the part of a tile that is transposed at once; it stays in the first cache.
constexpr std::int64_t part_bytes = 24576;
constexpr std::int64_t shortest_side = 4;

// Prefetches a tile whose rows are too far apart, and too many, for the hardware to follow.
template <class T>
void prefetch(const T* tile, std::int64_t step, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; j += line) __builtin_prefetch(tile + i * step + j);
    }
}

// Deals columns out to the panels they belong to.
template <class T>
class panel_writer {
public:
    panel_writer(const column_panels& panels, const packed_part& part, T* to)
        : panels_(panels), part_(part), to_(to), panel_(part.panel) {}

    /// Copies columns [column, end) of row `k`, which lie side by side at `from`.
    void write(const T* from, std::int64_t column, std::int64_t end, std::int64_t k) {
        while (column < end) {
            while (panels_[panel_].first > column) --panel_;
            while (panels_.start(panel_ + 1) <= column) ++panel_;
            const column_panel& which = panels_[panel_];
            const std::int64_t stop = std::min(end, which.first + which.columns);
            std::copy(from, from + (stop - column), row(which, k) + (column - which.first));
            from += stop - column;
            column = stop;
        }
    }

    /// Columns that do not exist are multiplied, and thrown away: they have to be numbers.
    void pad(std::int64_t k) {
        const column_panel& last = panels_[panels_.count() - 1];
        std::fill(row(last, k) + last.columns, row(last, k) + panels_.width(last), T{0});
    }

private:
    // Where row `k` of a panel begins.
    T* row(const column_panel& which, std::int64_t k) const {
        return to_ + (which.first - panels_.start(part_.panel)) * (part_.k_end - part_.k) +
               (k - part_.k) * panels_.width(which);
    }

    const column_panels& panels_;
    const packed_part& part_;
    T* const to_;
    std::int64_t panel_;  // the one that was written to last
};

}  // namespace

column_grid find_column_grid(const loop_list& n, std::int64_t element_bytes) {
    if (n.size() < 2) return {};
    const steps::contraction_loop& fast = n.back();
    const steps::contraction_loop& other = n[n.size() - 2];
    if (other.b != 1 || fast.b == 1 || other.extent < shortest_side ||
        fast.extent < shortest_side || shortest_side * fast.extent * element_bytes > part_bytes) {
        return {};
    }
    return {fast.extent, other.extent, fast.b};
}

template <class T>
void pack_grid(const column_grid& grid, const grid_source<T>& source, const packed_part& part,
               T* to) {
    alignas(64) T piece[static_cast<std::size_t>(part_bytes) / sizeof(T)];
    const std::int64_t most = part_bytes / static_cast<std::int64_t>(sizeof(T)) / grid.rows;
    const column_panels& panels = *source.panels;
    const std::int64_t first = panels.start(part.panel);
    const std::int64_t end = panels.first_column(part.panel_end);
    const std::int64_t tile_columns = grid.rows * grid.columns;
    panel_writer<T> writer(panels, part, to);
    for (std::int64_t row = part.from; row < part.to; ++row) {
        const auto k = static_cast<std::size_t>(row);
        const T* const line = source.b + source.depth->offset[k];
        const T* const following =
            row + 1 < part.to ? source.b + source.depth->offset[k + 1] : nullptr;
        for (std::int64_t tile = first / tile_columns * tile_columns; tile < end;
             tile += tile_columns) {
            const std::int64_t begin = std::max(tile, first) - tile;
            const std::int64_t stop = std::min(tile + tile_columns, end) - tile;
            const std::int64_t j_end = ceil_divide(stop, grid.rows);
            for (std::int64_t j = begin / grid.rows; j < j_end; j += most) {
                const std::int64_t j_stop = std::min(j_end, j + most);
                const std::int64_t at = source.columns->offset[static_cast<std::size_t>(tile)] + j;
                if (following != nullptr)
                    prefetch(following + at, grid.step, grid.rows, j_stop - j);
                source.transpose(line + at, grid.step, piece, grid.rows, grid.rows, j_stop - j);
                const std::int64_t from = std::max(begin, j * grid.rows);
                writer.write(piece + (from - j * grid.rows), tile + from,
                             tile + std::min(stop, j_stop * grid.rows), row);
            }
        }
        if (part.panel_end == panels.count()) writer.pad(row);
    }
}

#define RICCI_INSTANTIATE(T) \
    template void pack_grid(const column_grid&, const grid_source<T>&, const packed_part&, T*)
RICCI_FOR_UNWIDENED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
