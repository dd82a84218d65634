// From a program to a plan's assignments: every equation translated, its sums put in order.
#pragma once

#include <functional>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/plan/bind/operands.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Called after each pass on the equations in the pool, each of which is a step of the plan: its
/// value is as it is meant, with sums inside.
using equations_observer = std::function<void(const char* pass, const program_plan&)>;

/// `slots`: one for each name. Outputs in `postpone` are computed in the workspace and copied to
/// their memory at the end. `careful`: every bracket chooses, none becomes a product by zeros.
/// `observe`: may be empty. Not called where results are scaled, or written in parts, or where
/// there is the logarithm of a determinant that may be negative.
program_plan order(const engine::request& request, const ir::shape_table& shapes,
                   const std::vector<slot>& slots, const std::vector<ir::ref>& postpone,
                   const name_roles& roles, bool careful, const equations_observer& observe);

}  // namespace ricci::plan
