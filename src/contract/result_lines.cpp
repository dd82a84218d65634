// Which lines of a large C are written past the caches.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "src/contract/blocked.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/folded_rows.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contract {

using runtime::line_bytes;
using runtime::stream_bytes;

// Whether each element of C is written just once, and C is large.
template <class T, class Stored>
bool blocked<T, Stored>::may_stream() const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    if (widens || table_->end_streams == nullptr || cut_.sums_apart || cut_.k_blocks > 1 ||
        batch_ * m_ * n_ * bytes < stream_bytes) {
        return false;
    }
    return std::all_of(groups_.batch.begin(), groups_.batch.end(),
                       [&](const auto& loop) { return loop.c * bytes % line_bytes == 0; });
}

// Finds out whether rows of C begin where cache lines do, or tiles of several rows.
template <class T, class Stored>
void blocked<T, Stored>::find_lines() {
    constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(Stored));
    folded_panels_.assign(panels_.size(), 0);
    if (!may_stream()) return;
    streams_ = std::all_of(c_rows_.offset.begin(), c_rows_.offset.end(),
                           [](std::int64_t offset) { return offset % line == 0; });
    // Where a line is several vectors, putting tiles together costs more.
    const std::int64_t deepest = (table_->lanes == line ? 8 : 2) * std::int64_t{table_->lanes};
    if (streams_ || table_->panel_pitch == 0 || k_ > deepest) return;
    folded_ = fold_rows(c_rows_, c_columns_, mr_, line);
    if (folded_.step == 0) return;
    for (std::int64_t p = 0; p < cut_.panels; ++p) {
        const std::int64_t first = packed_column(p);
        for (std::int64_t count = 1; count <= most_panels_of_lines && p + count <= cut_.panels;
             ++count) {
            const std::int64_t end = std::min(n_, packed_column(p + count));
            if ((end - first) * folded_.rows > most_folded) break;
            if ((end - first) % folded_.step != 0) continue;
            bool whole = true;
            for (std::int64_t j = first; whole && j < end; j += folded_.step)
                whole = begins_run(folded_, c_columns_, j, line);
            if (whole) folded_panels_[static_cast<std::size_t>(p)] = count;
            break;
        }
    }
}

// Whether C is written, not added to, and begins where a line does.
template <class T, class Stored>
bool blocked<T, Stored>::begins_line(const operands& from) const {
    return from.beta == T{0} &&
           reinterpret_cast<std::uintptr_t>(from.c) % static_cast<std::uintptr_t>(line_bytes) == 0;
}

#define RICCI_INSTANTIATE(...)                              \
    template bool blocked<__VA_ARGS__>::may_stream() const; \
    template void blocked<__VA_ARGS__>::find_lines();       \
    template bool blocked<__VA_ARGS__>::begins_line(const operands&) const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
