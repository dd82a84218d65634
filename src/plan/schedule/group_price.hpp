// What a fused group costs if nothing but its products, its element-wise operations or its memory
// took time: the largest of them is what it cannot be quicker than.
#pragma once

#include <vector>

#include "src/plan/schedule/compiled.hpp"

namespace ricci::plan {

/// In cycles of a nominal core, where no condition hides a tile.
struct group_price {
    double products = 0, element_wise = 0, memory = 0;
};

group_price price_of(const fused_step&);

/// Of a pair of a row and a column: elements that tiles move beside the pair itself, with as much
/// for operations on lanes that no row fills, and cycles of what is computed. Rows are packed for
/// all columns, and sums over rows are added up for each tile of rows: what that takes more than
/// where there are many of both.
struct pair_price {
    double moved = 0, cycles = 0;
    /// Whether writing a plane and reading it again is quicker: it is small then, beside what its
    /// rows and columns are made of.
    bool is_dearer_than_storing() const;
};

pair_price price_of_pair(const fused_step&);

}  // namespace ricci::plan
