// The best tree of few operands, by dynamic programming over subsets.
#pragma once

#include "src/path/search/core_network.hpp"
#include "src/path/search/score.hpp"

namespace ricci::path {

/// Up to so many operands every tree is looked at: some milliseconds.
inline constexpr std::int32_t exact_search_operands = 11;

/// The tree with the least sum of prices; where the largest product or result is to be small, the
/// one with the smallest largest, and of those the one with the fewest multiplications. For two to
/// exact_search_operands operands.
product_list exact_tree(const core_network& network, const product_price& price);

}  // namespace ricci::path
