// Elements of a product that a tensor of numbers picks, as in Z^{i y_i}, or that lie on a line of
// it, as in Z^{ii}: read from the product's factors, so that the product need not be stored.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "src/plan/consumers.hpp"
#include "src/plan/grown_group.hpp"

namespace ricci::plan {

/// Whether a gather reads a product of two tensors that nobody adds to, along whole axes of its
/// factors.
bool can_pick_factors(const program_plan&, const std::vector<slot_uses>&, const assign& gather);

/// Whether a map reads such products, of the planes that `is_plane` says, along lines alone: at
/// fewer loops than they have.
bool can_read_factors(const program_plan&, const std::vector<slot_uses>&, const assign& map,
                      const std::function<bool(slot_number)>& is_plane);

/// What gives the same: for each line a sum of products, and the map of what these give. For a step
/// for which the above holds.
void read_factors(program_plan&, const std::vector<slot_uses>&, std::size_t step,
                  const std::function<bool(slot_number)>& is_plane, std::vector<made_step>& made);

/// What gives the same: gathers of those factors that have an axis which is looked up, and a sum of
/// products of what they give. For a step for which the above holds.
void pick_factors(program_plan&, const std::vector<slot_uses>&, std::size_t step,
                  std::vector<made_step>& made);

}  // namespace ricci::plan
