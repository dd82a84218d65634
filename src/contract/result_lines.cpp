// Which lines of a large C are written past the caches.
#include "src/contract/result_lines.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <utility>

#include "src/contract/element_types.hpp"

namespace ricci::contractions {
namespace {

// A C of more bytes than this is prefetched before it is written.
constexpr std::int64_t prefetched_bytes = std::int64_t{1} << 20;

}  // namespace

template <class T, class Stored>
result_lines<T, Stored>::result_lines(flat_contraction& flat,
                                      const kernels::kernel_table<T, Stored>& table)
    : table_(&table),
      elements_(flat.batch * flat.m * flat.n),
      depth_(flat.k),
      rows_(std::move(flat.c_rows)),
      columns_(std::move(flat.c_columns)),
      far_(elements_ * static_cast<std::int64_t>(sizeof(T)) > prefetched_bytes) {}

// Whether C is large, and every batch of it begins where a line does if the first one does.
template <class T, class Stored>
bool result_lines<T, Stored>::is_large(const loop_list& batch) const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    return elements_ * bytes >= runtime::stream_bytes &&
           std::all_of(batch.begin(), batch.end(),
                       [](const auto& loop) { return loop.c * bytes % runtime::line_bytes == 0; });
}

template <class T, class Stored>
void result_lines<T, Stored>::find_lines(const loop_list& batch, const column_panels& panels,
                                         std::int64_t mr) {
    if (widens<T, Stored> || table_->end_streams == nullptr || !is_large(batch)) return;
    streams_ = std::all_of(rows_.offset.begin(), rows_.offset.end(),
                           [](std::int64_t offset) { return offset % line == 0; });
    // Where a line is several vectors, putting tiles together costs more.
    const std::int64_t deepest = (table_->lanes == line ? 8 : 2) * std::int64_t{table_->lanes};
    if (streams_ || table_->panel_pitch == 0 || depth_ > deepest) return;
    folded_ = fold_rows(rows_, columns_, mr, line);
    if (folded_.step == 0) return;
    for (std::int64_t p = 0; p < panels.count(); ++p)
        panels_of_lines_.push_back(panels_to_line_end(panels, p));
}

// The fewest panels from p on that hold whole runs, each of which begins a line; 0 where there are
// none.
template <class T, class Stored>
std::int64_t result_lines<T, Stored>::panels_to_line_end(const column_panels& panels,
                                                         std::int64_t p) const {
    const std::int64_t first = panels.start(p);
    const std::int64_t most = std::min(most_panels_of_lines, panels.count() - p);
    for (std::int64_t count = 1; count <= most; ++count) {
        const std::int64_t end = panels.first_column(p + count);
        if ((end - first) * folded_.rows > most_folded) return 0;
        if ((end - first) % folded_.step != 0) continue;
        for (std::int64_t j = first; j < end; j += folded_.step) {
            if (!begins_run(folded_, columns_, j, line)) return 0;
        }
        return count;
    }
    return 0;
}

template <class T, class Stored>
void result_lines<T, Stored>::write_row(const column_panel& which, const T* sums, T alpha, T beta,
                                        Stored* row) const {
    const auto first = static_cast<std::size_t>(which.first);
    for (int j = 0; j < which.columns;) {
        const std::size_t at = first + static_cast<std::size_t>(j);
        const int run = std::min<int>(columns_.run[at], which.columns - j);
        table_->write(run, alpha, sums + j, beta, row + columns_.offset[at], 1);
        j += run;
    }
}

#define RICCI_INSTANTIATE(...) template class result_lines<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
