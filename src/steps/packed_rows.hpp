// How many rows of lanes the products of a fused group pack: part of what a group takes of memory,
// which is known when it is planned.
#pragma once

#include <cstdint>

namespace ricci::steps {

/// The rows of products that sum no more numbers are packed once for a tile of rows. Those of wider
/// ones are packed anew for each tile, a block after another.
inline constexpr std::int64_t most_packed = 8192;
/// Summed at once, whether the rows are packed in blocks or not: what is packed then stays in the
/// second cache while columns go by.
inline constexpr std::int64_t summed_block = 1024;

/// Rows of lanes that are packed at the same time of a product that sums so many numbers.
constexpr std::int64_t packed_at_once(std::int64_t summed) {
    return summed <= most_packed ? summed : summed_block;
}

/// Bytes that a task of a fused group may take: more than a worker has are lent to it.
inline constexpr std::int64_t most_task_bytes = std::int64_t{8} << 20;

}  // namespace ricci::steps
