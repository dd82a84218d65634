// What a run of a network is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ricci/element.hpp>

#include "src/network/choice_rows.hpp"
#include "src/network/network_plan.hpp"
#include "src/network/sub_trees.hpp"
#include "src/path/search.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::networks {

struct scaled_run;

/// What is to be run. All that it refers to is copied, but for the memory of operands and result.
struct run_request {
    element type = element::f32;
    std::vector<std::span<const std::int32_t>> axes;  // of each operand: the indices of its axes
    std::vector<operand_memory> operands;
    std::span<const std::int32_t> open;
    std::span<const std::size_t> extents;                             // of each index
    std::span<const std::pair<std::int32_t, std::int32_t>> products;  // SSA
    std::span<const path::slice> slices;
    /// The result, row-major, of the open indices; or, of a scalar result, its derivatives by some
    /// operands, row-major; or one result for each row of choices, without the indices chosen.
    std::vector<void*> results;
    std::span<const std::size_t> derivatives = {};
    /// Rows that all differ, of open indices that no slice is of. They last as long as the run.
    const choice_rows* choices = nullptr;
    /// Another algebra than sum and product. `places`: as best() wants them.
    std::optional<steps::sum_algebra> algebra = {};
    bool places = false;
    bool keeps = false;    // intermediates, so that what has not changed is not made again, where
                           // there is memory for all of them
    double memory = 0;     // bytes for intermediates and what kernels lend
    bool may_cut = false;  // more indices than the slices say, where the memory does not suffice
    sub_tree_limits sub_trees = {};  // which run at the same time
    /// The result is a mantissa, with an exponent of ten of its own. What the run knows for that.
    bool scaled = false;
    const scaled_run* exponents = nullptr;
};

/// One tensor that is computed, row-major; for each row of choices, where there are any.
struct run_output {
    std::vector<std::int32_t> axes;
    std::vector<void*> data;  // of each row
    std::size_t bytes = 0;
    std::vector<std::int64_t> strides;  // 0 for an index that is chosen
    bool adds = false;                  // over ranges of an index that it has not
    std::size_t sum_offset = 0;         // bytes, where what adds is added up apart
};

}  // namespace ricci::networks
