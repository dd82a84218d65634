// Sub-trees of a network's tree that run at the same time, a thread each, before the rest of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/index_ranges.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

/// Which sub-trees run at the same time. Costs are multiplications; see step_costs.hpp.
struct sub_tree_limits {
    std::size_t parts = 16;   // at the most; of fewer than two there are none
    double product = 4e6;     // from there on a step has all threads for itself
    double sub_tree = 2e4;    // a smaller one stays where it is
    double least_gain = 3e5;  // saved by two threads, beside what it takes them to begin
};

/// Brings the steps of a tree into an order in which parts come first, then the trunk: what a part
/// reads are operands and its own results. Gives where each part ends; nothing where that is
/// estimated to gain too little, and leaves the tree as it is then. A part has one or several
/// sub-trees, whose steps keep their order; parts cost about the same, and the dearest comes first.
/// Steps that depend on loops of several passes are the trunk's, as those are that are large enough
/// for all threads. The number of threads is no matter.
std::vector<std::size_t> take_parts_apart(step_tree& tree, std::span<const std::int64_t> extents,
                                          std::span<const range_loop> loops,
                                          const sub_tree_limits& limits);

}  // namespace ricci::networks
