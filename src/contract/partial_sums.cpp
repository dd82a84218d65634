// Sums of splits of k, added and written.
#include "src/contract/partial_sums.hpp"

#include <algorithm>
#include <complex>

#include "src/contract/element_types.hpp"
#include "src/contract/sharing.hpp"

namespace ricci::contractions {
namespace {

// Rows of sums that one task adds, and how many sums are not worth sharing out.
constexpr std::int64_t sums_per_task = 16;
constexpr std::int64_t serial_sums = std::int64_t{1} << 16;

}  // namespace

template <class T, class Stored>
partial_sums<T, Stored>::partial_sums(const block_sizes& cut,
                                      const panel_operands<T, Stored>& operands, std::int64_t m)
    : operands_(operands), splits_(cut.k_splits), m_(m) {
    if (!cut.sums_apart) return;
    const column_panels& panels = operands.right.panels();
    elements_ = static_cast<std::size_t>(m * cut.packed_columns);
    for (std::int64_t i = 0; i < m; ++i) rows_.push_back(i * cut.packed_columns);
    // Column j of the sums is column j of the chunk.
    for (std::int64_t n = 0; n < cut.n_chunks; ++n) {
        const std::int64_t first = panels.start(part_start(cut.panels, cut.n_chunks, n, 1));
        const std::int64_t end = panels.start(part_start(cut.panels, cut.n_chunks, n + 1, 1));
        for (std::int64_t j = first; j < end; ++j) columns_.push_back(j - first);
    }
}

template <class T, class Stored>
destination<T, Stored> partial_sums<T, Stored>::split(T* sums, std::int64_t split,
                                                      bool first) const {
    return {nullptr,      sums + split * static_cast<std::int64_t>(elements_),
            rows_.data(), columns_.data(),
            ~0u,          true,
            T{1},         first ? T{0} : T{1},
            false,        false};
}

template <class T, class Stored>
void partial_sums<T, Stored>::add(const bound_operands<T, Stored>& to, std::int64_t panel,
                                  std::int64_t panel_end, T* sums, bool serial) const {
    const column_panels& panels = operands_.right.panels();
    const result_lines<T, Stored>& result = operands_.result;
    const std::int64_t first = panels.start(panel);
    const std::int64_t columns = panels.first_column(panel_end) - first;
    const auto add_row = [&](std::int64_t i) {
        T* const total = sums + rows_[static_cast<std::size_t>(i)];
        for (std::int64_t s = 1; s < splits_; ++s) {
            const T* const more = total + s * static_cast<std::int64_t>(elements_);
            for (std::int64_t j = 0; j < columns; ++j) total[j] += more[j];
        }
        Stored* const row = to.c + result.row(i);
        if constexpr (widens<T, Stored>) {
            for (std::int64_t p = panel; p < panel_end; ++p)
                result.write_row(panels[p], total + panels[p].first - first, to.alpha, to.beta,
                                 row);
        } else {
            for (std::int64_t j = 0; j < columns; ++j) {
                T& c = row[result.column(first + j)];
                c = to.beta == T{0} ? to.alpha * total[j] : to.alpha * total[j] + to.beta * c;
            }
        }
    };
    const bool few = columns * m_ * splits_ < serial_sums;
    distribute_units(m_, sums_per_task, serial || few, [&](std::int64_t i, int) { add_row(i); });
}

#define RICCI_INSTANTIATE(...) template class partial_sums<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
