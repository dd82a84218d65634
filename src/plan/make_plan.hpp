// From a request to a plan: the passes of the planner, in order.
#pragma once

#include <ricci/engine/executable.hpp>
#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Checks the request and plans it. Throws ricci::error; neither reads nor writes an operand.
program_plan make_plan(const engine::request& request);

}  // namespace ricci::plan
