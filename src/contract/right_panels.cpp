// Panels of columns: which can be read where they lie, and packing.
#include "src/contract/right_panels.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "src/contract/element_types.hpp"

namespace ricci::contractions {
namespace {

// Lines of B of at most so many bytes are packed many at a time: they stay in the first cache
// meanwhile.
constexpr std::int64_t short_line_bytes = 512;
// So many elements side by side are read as a piece of a row.
constexpr std::int32_t long_run = 16;
// How many k of all panels are packed before going on: where rows of B are read, and where blocks
// of it are transposed.
constexpr std::int64_t rows_of_lines = 32, rows_of_blocks = 8;

}  // namespace

template <class T, class Stored>
right_panels<T, Stored>::right_panels(flat_contraction& flat, const index_groups& groups,
                                      int vectors, const kernels::kernel_table<T, Stored>& table,
                                      const list_layout& list)
    : table_(&table),
      panels_(flat.c_columns, table.lanes, vectors, static_cast<std::int64_t>(sizeof(Stored))),
      columns_(std::move(flat.b_columns)),
      depth_(std::move(flat.b_depth)),
      list_(list) {
    if (table.transpose == nullptr) return;
    find_stretch(depth_, most_stretch);
    if constexpr (!widens<T, Stored>)
        if (list_.how == listing::none)
            grid_ = find_column_grid(groups.n, static_cast<std::int64_t>(sizeof(T)));
}

template <class T, class Stored>
void right_panels<T, Stored>::pack_in_units(std::int64_t unit) {
    const bool has_lines = std::any_of(depth_.run.begin(), depth_.run.end(),
                                       [](std::int32_t run) { return run >= long_run; });
    const std::int64_t line_bytes = panels_.columns() * static_cast<std::int64_t>(sizeof(Stored));
    rows_at_once_ = has_lines || line_bytes <= short_line_bytes ? rows_of_lines : rows_of_blocks;
    if (depth_.stretch > 1) rows_at_once_ = unit;
}

template <class T, class Stored>
bool right_panels<T, Stored>::reads_in_place(const column_panel& which) const {
    return list_.how == listing::none && table_->gemm_in_place[0][0] != nullptr &&
           columns_.run[static_cast<std::size_t>(which.first)] >= which.columns &&
           which.columns == panels_.width(which);
}

// A few k of all panels at a time: a row of B that is contiguous along n is then read in one piece.
template <class T, class Stored>
void right_panels<T, Stored>::pack(const operand_start<Stored>& b, const packed_part& part,
                                   T* to) const {
    if constexpr (!widens<T, Stored>) {
        if (has_grid()) {
            pack_grid<T>(grid_, {b.plain(), &columns_, &depth_, &panels_, table_->transpose}, part,
                         to);
            return;
        }
    }
    const std::int64_t start = panels_.start(part.panel);
    // A panel that is packed alone leaves no row to others.
    const bool alone = part.panel_end - part.panel == 1 && depth_.stretch == 1;
    const std::int64_t rows = alone ? std::max(rows_at_once_, rows_of_lines) : rows_at_once_;
    const Stored* const origin = b.origin(list_);
    listed_offsets<Stored> along(list_, listing::along, b), across(list_, listing::across, b);
    for (std::int64_t k = part.from; k < part.to; k += rows) {
        const std::int64_t depth = std::min(rows, part.to - k);
        const std::int64_t* const offsets = along.of(depth_.offset.data() + k, depth);
        for (std::int64_t p = part.panel; p < part.panel_end; ++p) {
            const column_panel& which = panels_[p];
            const std::int64_t step = panels_.width(which);
            T* const here =
                to + (which.first - start) * (part.k_end - part.k) + (k - part.k) * step;
            for (int v = 0; v < which.vectors; ++v) {
                const std::int64_t first = which.first + std::int64_t{v} * table_->lanes;
                const std::int64_t width =
                    std::min<std::int64_t>(table_->lanes, panels_.columns() - first);
                if (list_.how == listing::both) {
                    pack_doubly_listed(b, first, width, k, depth, here + v * table_->lanes, step);
                    continue;
                }
                auto from = pack_source(origin, columns_, first, width, depth_, k, depth);
                from.along = offsets;
                from.across = across.of(from.across, width);
                table_->pack_columns(from, here + v * table_->lanes, step);
            }
        }
    }
}

// A vector of columns that share a place in the list for each k is packed at once; otherwise those
// k that share one for each column.
template <class T, class Stored>
void right_panels<T, Stored>::pack_doubly_listed(const operand_start<Stored>& b, std::int64_t first,
                                                 std::int64_t width, std::int64_t k,
                                                 std::int64_t depth, T* to,
                                                 std::int64_t step) const {
    doubly_listed_offsets<Stored> listed(list_, b);
    if (listed.sharing(columns_, first, first + width) == width) {
        const auto at = listed.of(columns_, first, width, depth_, k, depth);
        auto from = pack_source(b.base, columns_, first, width, depth_, k, depth);
        from.across = at.fixed;
        from.along = at.moving;
        table_->pack_columns(from, to, step);
        return;
    }
    for (std::int64_t from_k = k, count = 0; from_k < k + depth; from_k += count) {
        count = listed.sharing(depth_, from_k, k + depth);
        const auto at = listed.of(depth_, from_k, count, columns_, first, width);
        auto from = pack_source(b.base, columns_, first, width, depth_, from_k, count);
        from.across = at.moving;
        from.along = at.fixed;
        table_->pack_columns(from, to + (from_k - k) * step, step);
    }
}

#define RICCI_INSTANTIATE(...) template class right_panels<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
