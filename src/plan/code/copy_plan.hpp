// Plans without a program, of a tensor in memory of the caller's: it is copied, or cleared.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Where a tensor lies: its strides count elements.
struct tensor_memory {
    void* data = nullptr;
    std::vector<std::int64_t> strides;
};

/// to = from, of tensors of the same extents.
program_plan copy_plan(element type, const std::vector<std::int64_t>& extents,
                       const tensor_memory& from, const tensor_memory& to);

/// to = 0
program_plan zeros_plan(element type, const std::vector<std::int64_t>& extents,
                        const tensor_memory& to);

}  // namespace ricci::plan
