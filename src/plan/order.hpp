// From a program to a plan's assignments: every equation translated, its sums put in order.
#pragma once

#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/plan/bind/operands.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// `slots`: one for each name. Outputs in `postpone` are computed in the workspace and copied to
/// their memory at the end. `careful`: every bracket chooses, none becomes a product by zeros.
program_plan order(const engine::request& request, const ir::shape_table& shapes,
                   const std::vector<slot>& slots, const std::vector<ir::ref>& postpone,
                   const name_roles& roles, bool careful);

}  // namespace ricci::plan
