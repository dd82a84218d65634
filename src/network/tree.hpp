// The steps of a network: which tensors are multiplied or summed, in which sequence, and how the
// axes of what they give lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ricci::networks {

/// One step: `result` is the product of `left` and `right`, or `left` alone where right is -1,
/// summed over the indices that the result has not.
struct tree_step {
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::int32_t result = -1;
    std::int32_t also = -1;  // a tensor that is not read: the step runs again where it changes
};

/// Tensors are numbered: the operands, then what steps give. Of an order each is used by one step,
/// but for the last one's, which is the result; derivatives use them again.
struct step_tree {
    std::size_t operands = 0;
    // The indices of each tensor's axes, in the order in which they lie in memory; of operands as
    // they were given, of others each index once.
    std::vector<std::vector<std::int32_t>> axes;
    std::vector<tree_step> steps;

    std::int32_t root = -1;  // the result of the order
};

/// What a tree is made of. `extents` are those of one slice.
struct tree_request {
    std::vector<std::span<const std::int32_t>> operands;  // indices of the axes; a diagonal twice
    std::span<const std::int32_t> open;                   // axes of the result
    std::span<const std::int64_t> extents;
    std::span<const std::pair<std::int32_t, std::int32_t>> products;  // SSA
};

/// The steps of an order. Indices that one operand alone has are summed before its product; the
/// tree is walked so that few elements live at once; each intermediate has its axes as the product
/// that takes it reads them best: what is shared first, then rows and what is summed of the left
/// factor, or what is summed and columns of the right one. What a batch of many small products
/// makes has the long indices of the batch first.
step_tree make_tree(const tree_request& asked);

/// Appends the steps that give the derivatives of a scalar result by some of the operands, in one
/// pass back: that by a factor of a product is the product's own times the other factor. The step
/// of the result itself goes. Returns the tensors, with the axes of the operands.
std::vector<std::int32_t> add_derivatives(step_tree& tree, std::span<const std::size_t> operands);

constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

/// Whether a sorted or unsorted list has the index.
bool has_index(std::span<const std::int32_t> list, std::int32_t index);

}  // namespace ricci::networks
