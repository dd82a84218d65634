// How the loops of a map become tiles: which loop runs along the vectors, and what is walked around
// them. Depends on extents and strides alone, never on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/tile/loops.hpp"
#include "src/tile/program.hpp"
#include "src/tile/shape.hpp"
#include "src/tile/walk.hpp"

namespace ricci::elementwise {

enum class traversal : std::uint8_t {
    plain,    // nothing is folded
    rows,     // vectors run along a folded loop: a tile becomes one number
    columns,  // vectors run along a free loop: every column of a tile has an accumulator
};

struct map_layout {
    traversal how = traversal::plain;
    tile_shape shape;
    std::vector<tile_strides> strides;  // of each operand
    /// plain: a unit is a tile; rows: an output, or a row of them; columns: up to q_chunk of those.
    walk units;
    /// The tiles of a unit, empty for `plain`.
    walk tiles;
    /// A softmax over columns too long for the cache: maximum and sum in one pass, online.
    bool streamed = false;
    /// plain, tiles of one row that are written past the caches: how far ahead memory is asked for;
    /// 0 where it is not.
    std::int64_t tiles_ahead = 0;
    /// Axes from here on, in the walk that moves the tile, keep the single numbers of a tile.
    std::size_t first_tile_axis = 0;
};

/// `most` is how many elements a tile may hold, and `most_summed` one of a sum that is only read.
/// `real`: float or double that is stored as it is computed; its sums have paths of their own.
map_layout choose_layout(const loop_nest& nest, steps::fold folding, std::span<const node> program,
                         std::size_t operands, std::int64_t most, std::int64_t most_summed,
                         std::size_t element_bytes, bool real);

}  // namespace ricci::elementwise
