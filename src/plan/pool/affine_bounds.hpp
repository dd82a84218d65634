// How far a sum of loops reaches where inequalities between such sums hold, i + j - 3, say, for
// 0 <= i, j < n and i + j >= 3; and what these say of some loops, wherever the others are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// 0 <= loop < extent.
struct loop_extent {
    loop what;
    std::int64_t extent = 0;
};

/// The values of `form` lie in this interval wherever all loops are within `box`, which has each
/// one that stands anywhere, and every one of `conditions` is 0 or more. Nothing: they never are so
/// together. Exact but for what whole numbers exclude and fractions do not; without conditions that
/// is every value from the least to the most.
std::optional<whole_interval> bounds_of(const place& form, std::span<const loop_extent> box,
                                        std::span<const place> conditions);

/// Conditions without the loops of `box`, each 0 or more just where these have places at which all
/// of `conditions` are. Nothing: whole numbers exclude more than such sums say.
std::optional<std::vector<place>> projected(std::span<const place> conditions,
                                            std::span<const loop_extent> box);

}  // namespace ricci::plan
