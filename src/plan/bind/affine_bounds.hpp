// How far a sum of indices reaches where inequalities between such sums hold: i + j - 3, say, for
// 0 <= i, j < n and i + j >= 3. Exact but for what whole numbers exclude and fractions do not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/pool/whole_interval.hpp"

namespace ricci::plan {

/// offset + sum of factor * index. Indices stand once, in any order.
struct affine_form {
    std::int64_t offset = 0;
    std::vector<std::pair<ir::ref, std::int64_t>> terms;

    void add(ir::ref index, std::int64_t factor);
    /// Adds a multiple of another one.
    void add(const affine_form& other, std::int64_t factor);
    std::int64_t factor(ir::ref index) const;
};

/// 0 <= index < extent.
struct index_range {
    ir::ref index = ir::none;
    std::int64_t extent = 0;
};

/// The values of `form` lie in this interval wherever all indices are within `box`, which has each
/// index that stands anywhere, and every one of `conditions` is 0 or more. Nothing: they never are
/// so together.
/// Without conditions that is every value from the least to the most.
std::optional<whole_interval> bounds_of(const affine_form& form, std::span<const index_range> box,
                                        std::span<const affine_form> conditions);

}  // namespace ricci::plan
