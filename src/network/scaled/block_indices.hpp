// The indices along which tensors of a scaled network have exponents of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/scaled/block_walk.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

/// Indices that run through the network as batches: at least half of its operands have them, and
/// they stay where two of these are multiplied; or all have them. What lies at different places of
/// such an index is multiplied apart from the rest many times, and may come to differ by more than
/// elements have room for. Those that most operands have come first; together they have some ten
/// thousand places at most.
std::vector<std::int32_t> find_block_indices(
    std::span<const std::span<const std::int32_t>> operands, std::span<const std::int32_t> open,
    std::span<const std::size_t> extents);

/// Of a table with one entry for each place of those of the block indices that a tensor has, the
/// last one fastest: for each block index its step, 0 where the tensor has it not.
struct block_table {
    std::vector<std::int64_t> steps;
    std::int64_t entries = 1;
};
block_table table_of(std::span<const std::int32_t> block_indices,
                     std::span<const std::int32_t> axes, std::span<const std::int64_t> extents);

/// The walk over a tensor's blocks, in the order of its table.
block_walk walk_of(std::span<const std::int32_t> block_indices, std::span<const std::int32_t> axes,
                   std::span<const std::int64_t> strides, std::span<const std::int64_t> extents,
                   bool complex);

/// The stride of an index in a tensor: of a diagonal the sum of those of its axes.
std::int64_t stride_of(std::int32_t index, std::span<const std::int32_t> axes,
                       std::span<const std::int64_t> strides);

}  // namespace ricci::networks
