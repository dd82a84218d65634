// What is added up over places of block indices is brought to one exponent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/network/scaled/aligned_sums.hpp"
#include "src/network/scaled/block_walk.hpp"
#include "src/network/scaled/scaled_tensor.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

class sum_alignment {
public:
    /// Of a step of the tree. `walks` of the taker, and of the other factor where it is a copy.
    sum_alignment(const aligned_sum& sum, const step_tree& tree,
                  std::span<const std::int32_t> block_indices,
                  std::span<const std::int64_t> extents, std::span<const scaled_tensor> tensors,
                  block_walk taker_walk, block_walk other_walk);

    /// Multiplies blocks of the copies by powers of two. The taker's exponents are then those of
    /// the product, whatever the place that is summed.
    void run(element type, std::span<const scaled_tensor> tensors);

    std::int32_t taker() const { return taker_; }

private:
    void settle_other(element type, const scaled_tensor& other);

    std::int32_t taker_ = -1, factor_ = -1;
    bool settles_ = false;
    // The taker's block indices: in its own table, in that of the other factor, and in that of
    // targets, which has those that the result keeps.
    std::vector<table_loop> loops_;
    // The other factor's, where it is a copy: in its own table, and in that of what it shares with
    // the taker.
    std::vector<table_loop> other_loops_;
    block_walk taker_walk_, other_walk_;
    std::vector<std::int64_t> targets_, shared_, powers_;
};

}  // namespace ricci::networks
