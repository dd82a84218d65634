// Choices: places of some indices, one row for each result that is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ricci::networks {

struct choice_rows {
    std::vector<std::int32_t> indices;  // which indices the columns are places of
    std::vector<std::int64_t> places;   // row after row
    std::size_t count = 0;              // of rows

    std::span<const std::int64_t> row(std::size_t r) const {
        return {places.data() + r * indices.size(), indices.size()};
    }
};

/// The different ones among rows, and for each row which of them it is.
struct distinct_rows {
    choice_rows rows;
    std::vector<std::size_t> number;
};
distinct_rows distinct_of(const choice_rows& all);

/// The numbers of rows that all differ, in an order in which few columns change from one to the
/// next: as a reflected code would have them, the first of `columns` changing most rarely.
std::vector<std::size_t> visiting_order(const choice_rows& rows,
                                        std::span<const std::size_t> columns);

}  // namespace ricci::networks
