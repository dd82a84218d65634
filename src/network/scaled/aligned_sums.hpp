// Sums over block indices: what is added up has to have one exponent, whatever the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/tree.hpp"

namespace ricci::networks {

/// A step that sums a block index. `taker`, a factor, is a copy made for this step, and takes up
/// what exponents differ by: so it has all block indices of the other factor, unless that is a copy
/// as well, `other`, which takes up what it differs by where the taker has not its indices.
struct aligned_sum {
    std::size_t step = 0;
    std::int32_t taker = -1;
    std::int32_t other = -1;
};

/// Puts copies of factors into a tree, before the steps that need them: factors that other steps
/// or runs read again are not changed. `extents` are those of one slice.
std::vector<aligned_sum> align_sums(step_tree& tree, std::span<const std::int32_t> block_indices,
                                    std::span<const std::int64_t> extents);

}  // namespace ricci::networks
