// Tiles of several rows of C that are whole cache lines together.
#include "src/contract/folded_rows.hpp"

#include <algorithm>
#include <cstddef>

namespace ricci::contractions {

bool begins_run(const folded_rows& folded, const offset_vector& columns, std::int64_t j,
                std::int64_t line) {
    const auto at = static_cast<std::size_t>(j);
    return columns.run[at] == folded.step && columns.offset[at] % line == 0;
}

folded_rows fold_rows(const offset_vector& c_rows, const offset_vector& c_columns,
                      std::int64_t rows, std::int64_t line) {
    folded_rows folded;
    const auto m = static_cast<std::int64_t>(c_rows.offset.size());
    const auto n = static_cast<std::int64_t>(c_columns.offset.size());
    if (m < rows || n == 0) return folded;
    const std::int64_t step = c_columns.run[0];
    if (rows * step % line != 0 || rows * step > most_folded || n % step != 0) return folded;
    bool some = false;
    for (std::int64_t i = 0; i + rows <= m; i += rows) {
        const bool whole = uniform_step(c_rows, i, i + rows) == step &&
                           c_rows.offset[static_cast<std::size_t>(i)] % line == 0;
        folded.panels.push_back(whole);
        some = some || whole;
    }
    if (!some) return folded;
    folded.panels.push_back(false);
    folded.step = step;
    folded.rows = rows;
    for (std::int64_t i = 0; i < rows; ++i) folded.row.push_back(i * step);
    for (std::int64_t j = 0; j < most_folded / rows; ++j)
        folded.column.push_back(j / step * folded.run_elements() + j % step);
    return folded;
}

}  // namespace ricci::contractions
