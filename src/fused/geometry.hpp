// How the loops of a fused group become tiles: one row loop and one column loop span the tiles, the
// others go around them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/steps/fused.hpp"

namespace ricci::fused {

/// A loop and how far each operand moves along it.
struct tile_loop {
    std::int64_t extent = 1;
    std::vector<std::int64_t> strides;  // of each operand

    bool operator==(const tile_loop&) const = default;
};

/// Strides of an operand along the two loops of a tile.
struct tile_stride {
    std::int64_t row = 0;
    std::int64_t column = 0;
};

struct geometry {
    std::vector<tile_loop> batch;          // slowest first; those that some consumer sums come last
    std::vector<tile_loop> other_rows;     // row loops around the tiles
    std::vector<tile_loop> other_columns;  // column loops around the tiles
    tile_loop row, column;                 // the loops of a tile
    std::vector<std::int64_t> offset;      // of each operand
    std::int64_t summed = 1;               // iterations of the batch loops that some consumer sums

    std::size_t operands() const { return offset.size(); }
    tile_stride strides(std::size_t operand) const {
        return {row.strides[operand], column.strides[operand]};
    }
};

std::int64_t iterations(const std::vector<tile_loop>& loops);

geometry make_geometry(const steps::fused_group& what);

/// at[k] += what iteration `index` of `loops` adds to operand k.
void move(const std::vector<tile_loop>& loops, std::int64_t index, std::int64_t* at);

/// A list of loops of up to three operands as offsets of all their iterations but those of the last
/// loop, which is walked with strides.
struct inner_loops {
    std::vector<std::int64_t> a, b, c;  // where each run of the last loop starts
    steps::inner_loop last;
    std::int64_t total = 1;
};

inner_loops flatten(std::span<const steps::inner_loop> loops);

}  // namespace ricci::fused
