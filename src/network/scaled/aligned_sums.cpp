#include "src/network/scaled/aligned_sums.hpp"

#include <algorithm>
#include <utility>

namespace ricci::networks {
namespace {

class sum_aligner {
public:
    sum_aligner(step_tree& tree, std::span<const std::int32_t> block_indices,
                std::span<const std::int64_t> extents)
        : tree_(tree), block_indices_(block_indices), extents_(extents) {}

    std::vector<aligned_sum> align() {
        for (tree_step s : std::exchange(tree_.steps, {})) {
            if (sums_blocks(s)) align(s);
            tree_.steps.push_back(s);
        }
        return std::move(sums_);
    }

private:
    bool has(std::int32_t tensor, std::int32_t index) const {
        return tensor >= 0 && has_index(tree_.axes[at(tensor)], index);
    }
    bool sums_blocks(const tree_step& s) const {
        return std::any_of(block_indices_.begin(), block_indices_.end(), [&](std::int32_t i) {
            return (has(s.left, i) || has(s.right, i)) && !has(s.result, i);
        });
    }
    // Whether the tensor has all block indices of the other one.
    bool covers(std::int32_t tensor, std::int32_t other) const {
        return std::all_of(block_indices_.begin(), block_indices_.end(),
                           [&](std::int32_t i) { return has(tensor, i) || !has(other, i); });
    }
    double size(std::int32_t tensor) const {
        double size = 1;
        for (const std::int32_t i : tree_.axes[at(tensor)])
            size *= static_cast<double>(extents_[at(i)]);
        return size;
    }

    // What is copied is made again whenever the other factor changes.
    std::int32_t copy(std::int32_t tensor, std::int32_t other) {
        const auto made = static_cast<std::int32_t>(tree_.axes.size());
        std::vector<std::int32_t> axes;  // of a diagonal once
        for (const std::int32_t i : tree_.axes[at(tensor)])
            if (!has_index(axes, i)) axes.push_back(i);
        tree_.axes.push_back(std::move(axes));
        tree_.steps.push_back({tensor, -1, made, other});
        return made;
    }
    void align(tree_step& s) {
        const std::int32_t left = s.left, right = s.right;
        aligned_sum made;
        const bool left_covers = right < 0 || covers(left, right);
        const bool right_covers = right >= 0 && covers(right, left);
        const bool takes_left =
            left_covers && (!right_covers || right < 0 || size(left) <= size(right));
        if (takes_left || !right_covers) made.taker = s.left = copy(left, right);
        if (!takes_left && right_covers) made.taker = s.right = copy(right, left);
        if (!left_covers && !right_covers) made.other = s.right = copy(right, left);
        made.step = tree_.steps.size();
        sums_.push_back(made);
    }

    step_tree& tree_;
    std::span<const std::int32_t> block_indices_;
    std::span<const std::int64_t> extents_;
    std::vector<aligned_sum> sums_;
};

}  // namespace

std::vector<aligned_sum> align_sums(step_tree& tree, std::span<const std::int32_t> block_indices,
                                    std::span<const std::int64_t> extents) {
    return sum_aligner(tree, block_indices, extents).align();
}

}  // namespace ricci::networks
