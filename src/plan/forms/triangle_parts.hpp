// How the pairs of places i and j under [j <= i + offset] lie: rows without any, a square with a
// diagonal, and what all of its rows have beside it.
#pragma once

#include <cstdint>
#include <optional>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/pool/semiseparable.hpp"

namespace ricci::plan {

/// Rows are i, columns j. Counted from the end that sums begin at: from the first place on, or from
/// the last one back where the triangle points down.
struct triangle_parts {
    std::int64_t rows = 0, columns = 0;  // all there are
    bool up = true;
    std::int64_t none = 0;  // rows ahead of the square: they have no pair
    std::int64_t head = 0;  // columns ahead of it: all later rows have them
    std::int64_t size = 0;  // of the square: its row r has its columns q <= r
    bool strict = false;    // or q < r
    std::int64_t full = 0;  // rows behind it: they have all columns

    /// How many pairs there are.
    double pairs() const;
    /// Of a row the first one where counted from the end, as places of its loop.
    loop_range rows_at(std::int64_t first, std::int64_t count) const {
        return {up ? first : rows - first - count, count};
    }
    loop_range columns_at(std::int64_t first, std::int64_t count) const {
        return {up ? first : columns - first - count, count};
    }
};

/// Nothing where the square would be empty: there is no pair, or nothing but pairs.
std::optional<triangle_parts> parts_of(const graph&, const triangle&);

}  // namespace ricci::plan
