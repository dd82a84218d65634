// What a fused group costs if nothing but its products, its element-wise operations or its memory
// took time: the largest of them is what it cannot be quicker than.
#pragma once

#include "src/plan/schedule/compiled.hpp"

namespace ricci::plan {

/// In cycles of a nominal core, where no condition hides a tile.
struct group_price {
    double products = 0, element_wise = 0, memory = 0;
};

group_price price_of(const fused_step&);

}  // namespace ricci::plan
