// Which columns every tile of rows of a fused group has to make, where that is known before it
// runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/fused/operations.hpp"

namespace ricci::fused {

class schedule {
public:
    schedule() = default;
    /// Of a group with `extent` columns. The ranges of a tile of rows start anew every `columns`.
    schedule(std::int64_t columns, std::int64_t extent)
        : columns_(columns), starts_of_rows_((extent + columns - 1) / columns) {}

    bool exists() const { return columns_ != 0; }
    /// Whether another one has the same ranges, and the same lanes of them count.
    bool has_ranges_of(const schedule& other) const;

    /// Pieces that are added from now on belong to the next start: all of the first tile of rows
    /// come first. To be called once more at the end.
    void begin() { starts_.push_back(pieces_.size()); }
    /// A range, what is known of each operation there, and which lanes of it count; `range.steps`
    /// is not read.
    void add(const tile_range& range, std::span<const knowledge> known,
             std::span<const tile_step> steps);

    /// Pieces [first, last).
    struct numbers {
        std::size_t first = 0, last = 0;
    };
    numbers pieces(std::int64_t row_tile, std::int64_t column) const {
        const auto start = static_cast<std::size_t>(row_tile * starts_of_rows_ + column / columns_);
        return {starts_[start], starts_[start + 1]};
    }

    tile_range range(std::size_t number, std::int64_t row, std::int64_t row_end) const {
        const piece& p = pieces_[number];
        return {row, row_end, p.column, p.column_end, {steps_.data() + p.step, p.step_count}};
    }
    const knowledge* known(std::size_t number) const {
        return knowledge_.data() + number * operations_;
    }

private:
    struct piece {
        std::int64_t column = 0, column_end = 0;
        std::size_t step = 0, step_count = 0;

        bool operator==(const piece&) const = default;
    };

    std::int64_t columns_ = 0, starts_of_rows_ = 0;
    std::size_t operations_ = 0;
    std::vector<piece> pieces_;
    std::vector<knowledge> knowledge_;  // of each operation, for every piece
    std::vector<tile_step> steps_;      // of all pieces
    std::vector<std::size_t> starts_;   // of each tile of rows and start of columns
};

}  // namespace ricci::fused
