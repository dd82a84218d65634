// Groups that can run together, a block of rows at a time.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Joins two fused groups that make a product of the same factors, with the sums of rows between
/// them: the product is then made once. Steps in between run before or behind.
void chain_groups(program_plan& plan);

}  // namespace ricci::plan
