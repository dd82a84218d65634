// Parts of a tree made anew, each the best that its operands have: dynamic programming over
// subsets, on the tree as it lies, with its slices and its limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/path/search/annealer.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

/// Below a node so many operands or results are taken as they are, the dearest products opened
/// first; the products between are what is made anew.
class subtree_search {
public:
    /// More operands than this take too long: splits grow threefold with each.
    static constexpr std::size_t most_leaves = 12;

    explicit subtree_search(tree_annealer& tree);

    /// Rounds over all nodes, the dearest first, until none gets better; what has not changed since
    /// it was looked at is not looked at again. Gives how many parts got better.
    /// 3 <= leaves <= most_leaves.
    std::int64_t run(std::size_t leaves, const keep_going& go_on);
    /// What the work of `run` was worth in moves.
    std::int64_t moves() const { return moves_; }

private:
    bool improve(std::int32_t root, std::size_t leaves);
    void take_part(std::int32_t root, std::size_t leaves);
    bool weigh_subsets();
    bool counts_operands() const;
    void weigh_prices();
    template <bool with_operands>
    void solve();
    double price_now();
    void emit(std::uint32_t subset);

    tree_annealer& tree_;
    std::vector<std::int64_t> changed_, solved_;  // in which step, of each node
    std::int64_t step_ = 0, moves_ = 0;
    // The part at hand: its operands, then its products, the root last.
    std::vector<std::int32_t> nodes_, inner_;
    std::size_t leaves_ = 0;
    tree_shape shape_;
    // Of each subset of its operands, in units of weight: what they have, and what is summed.
    std::vector<std::int64_t> touched_, summed_;
    // The same as numbers: see weigh_prices().
    std::vector<double> least_, product_, operand_, scale_, own_;
    std::vector<std::uint32_t> split_, subset_of_;
    std::int64_t reference_ = 0;
};

}  // namespace ricci::path
