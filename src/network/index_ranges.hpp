// The ranges that sliced indices are cut into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/path/search.hpp"

namespace ricci::networks {

/// A sliced index as one plan goes through it: `count` ranges of `width` places each.
struct range_loop {
    std::int32_t index = -1;
    std::int64_t first = 0, width = 1, count = 1;
};

/// For each plan its loops: all combinations of what each cut index has, ranges of the full width
/// and, where its extent is no multiple of that, a shorter one. Without slices: one plan, no loops.
std::vector<std::vector<range_loop>> ranges_of(std::span<const path::slice> slices,
                                               std::span<const std::size_t> extents);

}  // namespace ricci::networks
