// Which first trees are made, and which of them are worth going on from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

/// What a first tree was made by: pairs of operands or cuts through all of them, of which the
/// better one will do; indices; a line of operands.
enum class seed_kind { general, elimination, line };
inline constexpr std::size_t seed_kinds = 3;

struct scored_tree {
    product_list products;
    double score = std::numeric_limits<double>::infinity();
    bool raw = false;  // of the network where nothing is simplified
    seed_kind kind = seed_kind::general;
};

/// Makes one tree of one network; an empty one where time has run out.
struct seed_maker {
    const core_network* core = nullptr;
    seed_kind kind = seed_kind::general;
    std::function<product_list(const keep_going&)> make;
};

/// Of the first network everything, of others fronts along lines alone, since those depend on how a
/// network is written. The networks are looked at while the makers live. The first maker is quick
/// for networks of any size.
std::vector<seed_maker> make_seed_makers(const std::vector<const core_network*>& cores,
                                         std::uint64_t seed);

/// Numbers of trees, those of the least score first; of equal ones the first.
template <class Tree>
std::vector<std::size_t> by_score(const std::vector<Tree>& trees) {
    std::vector<std::size_t> order(trees.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return trees[a].score != trees[b].score ? trees[a].score < trees[b].score : a < b;
    });
    return order;
}

/// The best tree first, then the best one of each other kind, then the second best ones and so on,
/// without those that are empty or score like a better one.
std::vector<scored_tree> best_first(std::vector<scored_tree> trees);

}  // namespace ricci::path
