// The columns of a product, cut into panels.
#include "src/contract/column_panels.hpp"

#include <algorithm>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

// Notes which columns of C are adjacent in each vector of the panel.
void note_adjacent(column_panel& panel, const offset_vector& c_columns, int lanes) {
    for (int v = 0; v < std::min(panel.vectors, kernels::max_vectors); ++v) {
        const int needed = std::min(lanes, panel.columns - v * lanes);
        const std::int32_t* const runs = c_columns.run.data() + panel.first + v * lanes;
        if (runs[0] >= needed) {
            panel.adjacent |= 1u << v;
        } else if (runs[0] + runs[runs[0]] >= needed) {
            panel.halves |= 1u << v;
            panel.split[v] = static_cast<std::uint8_t>(runs[0]);
        }
    }
}

}  // namespace

column_panels::column_panels(const offset_vector& c_columns, int lanes, int most_vectors,
                             std::int64_t element_bytes)
    : columns_(static_cast<std::int64_t>(c_columns.offset.size())), lanes_(lanes) {
    using runtime::line_bytes;
    padded_ = round_up(columns_, lanes_);
    const std::int64_t vectors = padded_ / lanes_;
    const std::int64_t panels = ceil_divide(vectors, most_vectors);
    for (std::int64_t p = 0; p < panels; ++p) {
        const std::int64_t first = part_start(vectors, panels, p, 1);
        const std::int64_t last = part_start(vectors, panels, p + 1, 1);
        column_panel made;
        made.first = first * lanes_;
        made.vectors = static_cast<int>(last - first);
        made.columns = static_cast<int>(std::min(columns_, last * lanes_) - made.first);
        note_adjacent(made, c_columns, lanes);
        const auto at = static_cast<std::size_t>(made.first);
        made.lines = c_columns.run[at] >= made.columns && made.columns == width(made) &&
                     made.columns * element_bytes % line_bytes == 0 &&
                     c_columns.offset[at] * element_bytes % line_bytes == 0;
        panels_.push_back(made);
    }
}

}  // namespace ricci::contractions
