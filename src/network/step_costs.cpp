#include "src/network/step_costs.hpp"

#include <cstddef>

namespace ricci::networks {
namespace {

double multiplications_in(const step_tree& tree, const tree_step& s,
                          std::span<const std::int64_t> extents) {
    double product = 1;
    for (const std::int32_t factor : {s.left, s.right}) {
        if (factor < 0) continue;
        const auto& axes = tree.axes[at(factor)];
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::span<const std::int32_t> before(axes.data(), axis);
            const bool seen = has_index(before, axes[axis]) ||
                              (factor == s.right && has_index(tree.axes[at(s.left)], axes[axis]));
            if (!seen) product *= static_cast<double>(extents[at(axes[axis])]);
        }
    }
    return product;
}

}  // namespace

std::vector<double> multiplications_of(const step_tree& tree,
                                       std::span<const std::int64_t> extents) {
    std::vector<double> all;
    all.reserve(tree.steps.size());
    for (const tree_step& s : tree.steps) all.push_back(multiplications_in(tree, s, extents));
    return all;
}

}  // namespace ricci::networks
