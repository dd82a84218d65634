// First trees together with slices that keep their results within a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/score.hpp"
#include "src/path/search/seed_portfolio.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

struct sliced_seed {
    product_list products;
    std::vector<char> sliced;  // of each index of its network, whether it is
    double score = std::numeric_limits<double>::infinity();  // log2 of the price of all slices
    bool raw = false;  // of the network where nothing is simplified
};

/// Slices a tree until it keeps the price's limit, by what they cost. No products where time has
/// run out.
sliced_seed sliced_seed_of(const core_network& network, const product_price& price,
                           const product_list& products, random_stream& random,
                           const keep_going& go_on);

/// The same of a tree by elimination, where indices are sliced on the way: with many slices the
/// tree is another one than without. What little exceeds the limit then is sliced, and what has
/// become needless is not.
sliced_seed sliced_seed_by_elimination(const core_network& network, const product_price& price,
                                       double noise, random_stream& random,
                                       const keep_going& go_on);

/// No products where time has run out.
using sliced_seed_maker = std::function<sliced_seed(const keep_going&)>;

/// A tree by elimination, first trees, and another one by elimination; of brief searches the best
/// first tree alone. The price has the limit. Everything is looked at while the makers live.
std::vector<sliced_seed_maker> make_sliced_seed_makers(const core_network& simple,
                                                       const core_network& raw,
                                                       const std::vector<scored_tree>& trees,
                                                       const product_price& price,
                                                       std::uint64_t seed, bool brief);

/// Without those that are empty.
std::vector<sliced_seed> cheapest_first(std::vector<sliced_seed> seeds);

}  // namespace ricci::path
