#include "src/network/scaled/block_indices.hpp"

#include <algorithm>
#include <utility>

namespace ricci::networks {

std::vector<std::int32_t> find_block_indices(
    std::span<const std::span<const std::int32_t>> operands, std::span<const std::int32_t> open,
    std::span<const std::size_t> extents) {
    constexpr std::size_t most_places = 1 << 16;
    std::vector<std::size_t> having(extents.size());
    std::vector<std::size_t> last(extents.size(), operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k)
        for (const std::int32_t i : operands[k])
            if (std::exchange(last[at(i)], k) != k) ++having[at(i)];
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        const bool is_everywhere = having[i] == operands.size();
        const std::size_t least = has_index(open, index) || is_everywhere ? 2 : 3;
        if (extents[i] > 1 && having[i] >= least && 2 * having[i] >= operands.size())
            found.push_back(index);
    }
    std::sort(found.begin(), found.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(having[at(b)], a) < std::pair(having[at(a)], b);
    });
    std::size_t places = 1;
    std::erase_if(found, [&](std::int32_t i) {
        if (extents[at(i)] > most_places / places) return true;
        places *= extents[at(i)];
        return false;
    });
    return found;
}

block_table table_of(std::span<const std::int32_t> block_indices,
                     std::span<const std::int32_t> axes, std::span<const std::int64_t> extents) {
    block_table made;
    made.steps.resize(block_indices.size());
    for (std::size_t k = block_indices.size(); k-- > 0;) {
        if (!has_index(axes, block_indices[k])) continue;
        made.steps[k] = made.entries;
        made.entries *= extents[at(block_indices[k])];
    }
    return made;
}

block_walk walk_of(std::span<const std::int32_t> block_indices, std::span<const std::int32_t> axes,
                   std::span<const std::int64_t> strides, std::span<const std::int64_t> extents,
                   bool complex) {
    std::vector<walk_loop> blocks, within;
    std::vector<std::int32_t> seen;
    const auto loop = [&](std::int32_t i) {
        const std::int64_t stride = stride_of(i, axes, strides);
        seen.push_back(i);
        return walk_loop{extents[at(i)], stride, stride};
    };
    for (const std::int32_t i : block_indices)
        if (has_index(axes, i)) blocks.push_back(loop(i));
    for (const std::int32_t i : axes)
        if (!has_index(seen, i)) within.push_back(loop(i));
    return {std::move(blocks), std::move(within), complex};
}

std::int64_t stride_of(std::int32_t index, std::span<const std::int32_t> axes,
                       std::span<const std::int64_t> strides) {
    std::int64_t sum = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (axes[axis] == index) sum += strides[axis];
    return sum;
}

}  // namespace ricci::networks
