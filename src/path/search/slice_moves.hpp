// Random moves of the slices of a tree, between the moves of the tree itself.
#pragma once

#include <cstdint>
#include <vector>

#include "src/path/search/annealer.hpp"
#include "src/path/search/index_finder.hpp"

namespace ricci::path {

/// Slices of one tree that are annealed with it: one is fixed, let go, or exchanged for another,
/// judged by what all runs of the whole tree cost then.
class slice_annealer {
public:
    /// The tree is looked at, and its slices are changed, while this lives.
    explicit slice_annealer(tree_annealer& tree);

    /// The tree has these slices now.
    void load(const std::vector<char>& sliced);
    const std::vector<char>& sliced() const { return sliced_; }
    /// log2 of the number of runs.
    double log2_runs() const { return log2_runs_; }

    /// log2 of the price of all runs, too large results counted by the tree's penalty.
    double score();
    /// So many moves at this inverse temperature (of log2 of the price of all runs).
    /// Gives how much work that was, in moves of the tree.
    std::int64_t sweep(double inverse_temperature, int moves, random_stream& random);

private:
    void look();
    void sum_up();
    bool is_too_large(std::int32_t node) const;
    void change(const index_places& places, bool sliced);
    std::int32_t draw_index(std::int32_t node, random_stream& random) const;
    std::int32_t draw_remedy(const index_places& places, random_stream& random) const;
    double relative(std::int64_t price) const;
    double work();
    void fix_one(double inverse_temperature, random_stream& random);
    void exchange_one(bool let_go_only, double inverse_temperature, random_stream& random);

    tree_annealer& tree_;
    std::vector<char> sliced_;
    std::vector<std::int32_t> fixed_;     // those that are sliced, in no order
    std::vector<std::int32_t> index_of_;  // of each bit
    double log2_runs_ = 0;
    std::int64_t limit_ = 0;      // of results, in weight_unit
    std::int64_t reference_ = 0;  // a price; `total_` is relative to it
    double total_ = 0;
    index_finder finder_;
    std::vector<std::int32_t> too_large_;
    index_places out_, in_;
};

}  // namespace ricci::path
