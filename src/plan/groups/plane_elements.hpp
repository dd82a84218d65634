// Elements of a group's planes that a step reads alone: at places that a tensor says, as in
// Z^{i y_i}, or along a line, as in Z^{ii}. They are made there of what the plane is made of, so
// that it need not be stored.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "src/plan/groups/consumers.hpp"
#include "src/plan/schedule/grown_group.hpp"

namespace ricci::plan {

using plane_test = std::function<bool(slot_number)>;

/// Whether a step reads planes, those that `is_plane` says, in this way alone: a map at fewer loops
/// than they have, or a gather; and whether products and element-wise maps make them, each where
/// its loops are.
bool can_read_elements(const program_plan&, const std::vector<slot_uses>&, std::size_t step,
                       const plane_test& is_plane);

/// What gives the same as such a step: for each product a sum of its factors there, whose rows are
/// gathered where a tensor says so, and a map of these.
void read_elements(program_plan&, const std::vector<slot_uses>&, std::size_t step,
                   const plane_test& is_plane, std::vector<made_step>& made);

}  // namespace ricci::plan
