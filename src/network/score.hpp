// What an order costs, counted exactly.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "src/base/scaled_number.hpp"
#include "src/path/search.hpp"

namespace ricci::networks {

using ssa_pair = std::pair<std::int32_t, std::int32_t>;

/// Sums are over all slices and choices; sizes are of one slice, of the widest range where an index
/// is cut, and of one choice.
struct order_score {
    scaled_number multiplications;
    scaled_number unsliced;  // the multiplications of the same products without slices
    scaled_number traffic;   // elements that products read and write
    scaled_number largest_product;
    scaled_number largest_intermediate;  // of what products give; the only operand where none is
    scaled_number slices{1.0};
    /// Elements of intermediates where most of them live at once, of all ways to walk the tree the
    /// one with fewest; infinity where no double is as large.
    double peak = 0;
};

/// The score of products that are an order of the network: each entry is used once. A product costs
/// the extents of all indices that either operand has when it begins. What depends on no sliced
/// index is counted once, other products once for each slice, ranges by the places they have; what
/// has sparse indices as often as they have places together, or as there are choices. Near linear
/// in the network's members.
order_score score_of(const path::hypergraph& network, std::span<const ssa_pair> products,
                     std::span<const path::slice> slices);

}  // namespace ricci::networks
