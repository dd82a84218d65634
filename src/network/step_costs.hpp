// What the steps of a network cost, as plans count it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/network/tree.hpp"

namespace ricci::networks {

/// Beside its multiplications a step takes as long as so many of them.
inline constexpr double step_itself = 200;

/// What each step of a tree multiplies, with these extents of the indices; a sum alone counts what
/// it adds.
std::vector<double> multiplications_of(const step_tree& tree,
                                       std::span<const std::int64_t> extents);

}  // namespace ricci::networks
