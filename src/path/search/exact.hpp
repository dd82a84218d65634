// The best tree of few operands, by dynamic programming over subsets.
#pragma once

#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/index_bits.hpp"
#include "src/path/search/score.hpp"

namespace ricci::path {

/// Up to so many operands the search looks at every tree: less than a millisecond.
inline constexpr std::int32_t exact_search_operands = 11;

/// A network of few operands. An index of one operand alone is in the result.
struct small_network {
    std::vector<index_bits> operands;
    index_bits result;
    std::vector<double> extents;
};

/// The tree with the least sum of prices, and of those the one whose intermediates have the fewest
/// elements together. Where the largest product or result is to be small, the tree with the
/// smallest largest, and of those the one with the fewest multiplications. For up to a dozen
/// operands; of costs beyond all numbers none is better than another.
product_list exact_tree(const small_network& network, const product_price& price);
product_list exact_tree(const core_network& network, const product_price& price);

}  // namespace ricci::path
