// Partitions of a network's operands: the hypergraph whose vertices are operands and whose edges
// are indices is cut where that costs little. Multilevel: heavily joined operands become one, level
// after level; the smallest network is cut, and the cut is refined on the way back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/random.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

struct partition_options {
    std::int32_t parts = 2;
    /// A part has at most (1 + imbalance) / parts of all operands, rounded up, and one at least.
    /// From parts - 1 on a part may have nearly everything.
    double imbalance = 0.1;
};

/// The part of each operand, 0 .. parts - 1. What is small is the sum over indices of log2 of the
/// extent times the number of parts that have it, less one. No part is empty where there are as
/// many operands as parts.
std::vector<std::int32_t> partition(const core_network& network, const partition_options& options,
                                    random_stream& random, const keep_going& go_on);

/// What a partition is judged by.
double cut_weight(const core_network& network, const std::vector<std::int32_t>& part);

/// The network is cut into parts, these are cut again and so on; what has few operands, and the
/// parts among themselves, get the best tree there is. Empty where time has run out.
product_list partition_tree(const core_network& network, const partition_options& options,
                            random_stream& random, const keep_going& go_on);

}  // namespace ricci::path
