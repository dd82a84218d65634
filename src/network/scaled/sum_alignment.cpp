#include "src/network/scaled/sum_alignment.hpp"

#include <algorithm>
#include <utility>

#include "src/network/scaled/block_kernels.hpp"
#include "src/network/scaled/powers_of_two.hpp"

namespace ricci::networks {
namespace {

/// Steps in a table of those block indices that `has` says, the last one fastest.
template <class Has>
block_table table_where(std::span<const std::int32_t> block_indices,
                        std::span<const std::int64_t> extents, const Has& has) {
    std::vector<std::int32_t> axes;
    for (const std::int32_t i : block_indices)
        if (has(i)) axes.push_back(i);
    return table_of(block_indices, axes, extents);
}

}  // namespace

sum_alignment::sum_alignment(const aligned_sum& sum, const step_tree& tree,
                             std::span<const std::int32_t> block_indices,
                             std::span<const std::int64_t> extents,
                             std::span<const scaled_tensor> tensors, block_walk taker_walk,
                             block_walk other_walk)
    : taker_(sum.taker),
      settles_(sum.other >= 0),
      taker_walk_(std::move(taker_walk)),
      other_walk_(std::move(other_walk)) {
    const tree_step& s = tree.steps[sum.step];
    factor_ = s.left == taker_ ? s.right : s.left;
    const auto has = [&](std::int32_t tensor, std::int32_t i) {
        return tensor >= 0 && has_index(tree.axes[at(tensor)], i);
    };
    const auto kept = table_where(
        block_indices, extents, [&](std::int32_t i) { return has(taker_, i) && has(s.result, i); });
    const auto common = table_where(
        block_indices, extents, [&](std::int32_t i) { return has(taker_, i) && has(factor_, i); });
    const auto& taken = tensors[at(taker_)].table;
    for (std::size_t k = 0; k < block_indices.size(); ++k) {
        const std::int64_t extent = extents[at(block_indices[k])];
        const std::int64_t other = factor_ < 0 ? 0 : tensors[at(factor_)].table.steps[k];
        if (has(taker_, block_indices[k]))
            loops_.push_back(
                {extent, taken.steps[k], settles_ ? common.steps[k] : other, kept.steps[k]});
        if (settles_ && has(factor_, block_indices[k]))
            other_loops_.push_back({extent, other, common.steps[k], 0});
    }
    targets_.resize(static_cast<std::size_t>(kept.entries));
    if (settles_) shared_.resize(static_cast<std::size_t>(common.entries));
    powers_.resize(static_cast<std::size_t>(
        std::max(taken.entries, settles_ ? tensors[at(factor_)].table.entries : 1)));
}

void sum_alignment::run(element type, std::span<const scaled_tensor> tensors) {
    const scaled_tensor& taker = tensors[at(taker_)];
    const std::int64_t nothing = 0;
    const std::int64_t* other = &nothing;
    if (settles_) {
        settle_other(type, tensors[at(factor_)]);
        other = shared_.data();
    } else if (factor_ >= 0) {
        other = tensors[at(factor_)].exponents;
    }
    std::fill(targets_.begin(), targets_.end(), no_exponent);
    const auto is_there = [&](std::int64_t a, std::int64_t b) {
        return taker.exponents[a] != no_exponent && other[b] != no_exponent;
    };
    each_place(loops_, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        std::int64_t& target = targets_[static_cast<std::size_t>(c)];
        if (is_there(a, b)) target = std::max(target, taker.exponents[a] + other[b]);
    });
    each_place(loops_, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        const std::int64_t target = targets_[static_cast<std::size_t>(c)];
        powers_[static_cast<std::size_t>(a)] =
            is_there(a, b) ? taker.exponents[a] + other[b] - target : 0;
        taker.own_exponents[a] = target;
    });
    multiply_blocks(taker_walk_, type, taker.memory, powers_.data());
}

// At each place of what it shares with the taker, the other factor gets one exponent.
void sum_alignment::settle_other(element type, const scaled_tensor& other) {
    std::fill(shared_.begin(), shared_.end(), no_exponent);
    each_place(other_loops_, [&](std::int64_t a, std::int64_t b, std::int64_t) {
        std::int64_t& most = shared_[static_cast<std::size_t>(b)];
        most = std::max(most, other.exponents[a]);
    });
    each_place(other_loops_, [&](std::int64_t a, std::int64_t b, std::int64_t) {
        std::int64_t& exponent = other.own_exponents[a];
        const std::int64_t to = shared_[static_cast<std::size_t>(b)];
        powers_[static_cast<std::size_t>(a)] = exponent == no_exponent ? 0 : exponent - to;
        if (exponent != no_exponent) exponent = to;
    });
    multiply_blocks(other_walk_, type, other.memory, powers_.data());
}

}  // namespace ricci::networks
