// Elements of a product that a tensor of numbers picks, as in Z^{i y_i}: read from the product's
// factors, so that the product need not be stored.
#pragma once

#include <cstddef>
#include <vector>

#include "src/plan/consumers.hpp"
#include "src/plan/grown_group.hpp"

namespace ricci::plan {

/// Whether a gather reads a product of two tensors that nobody adds to, along whole axes of its
/// factors.
bool can_pick_factors(const program_plan&, const std::vector<slot_uses>&, const assign& gather);

/// What gives the same: gathers of those factors that have an axis which is looked up, and a sum of
/// products of what they give. For a step for which the above holds.
void pick_factors(program_plan&, const std::vector<slot_uses>&, std::size_t step,
                  std::vector<made_step>& made);

}  // namespace ricci::plan
