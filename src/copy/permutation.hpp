// A copy whose two sides are contiguous along different loops: tiles transposed in registers.
#pragma once

#include <memory>
#include <vector>

#include "src/tile/map_strategy.hpp"
#include "src/tile/loops.hpp"
#include "src/tile/program.hpp"

namespace ricci::elementwise {

/// A strategy for the map when it is such a copy, of elements of 4 or 8 bytes; otherwise none.
std::unique_ptr<const map_strategy> make_permutation(const steps::map& map,
                                                     const std::vector<node>& program,
                                                     const loop_nest& nest);

}  // namespace ricci::elementwise
