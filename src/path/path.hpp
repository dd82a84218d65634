// Contraction paths: in which order the factors of a summed product are multiplied, two at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::path {

/// A binary tree over operands: entries 0 .. operands - 1 are the operands, each later one the
/// product of two earlier ones; the last one is the result.
struct contraction_path {
    struct product {
        std::int32_t left = -1;
        std::int32_t right = -1;
    };
    std::int32_t operands = 0;
    std::vector<product> products;  // operands - 1 of them
    double multiplications = 0;     // the sum over products of the extents' product
    double stored = 0;              // elements of all results but the last
};

/// Up to this many operands the path is the best one there is; above, what a search finds in about
/// the time that the products take, the same for the same operands.
inline constexpr std::size_t exact_path_operands = 12;

/// The path with the fewest multiplications, and of those the one that stores least. An index that
/// only one operand has belongs to the result: others are summed before. Index lists are sorted.
contraction_path find_path(const std::vector<std::span<const ir::ref>>& operands,
                           std::span<const ir::ref> result,
                           const std::function<std::int64_t(ir::ref)>& extent);

}  // namespace ricci::path
