// From a request to a plan: the passes of the planner, in order. docs/architecture.md says what
// holds after each.
#pragma once

#include <functional>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Called after every pass with its name; the plan is null until there are assignments. Of the
/// passes on equations in the pool it has each equation as one assignment, with sums inside.
using pass_observer =
    std::function<void(const char* pass, const ir::program_view&, const program_plan*)>;

/// Throws ricci::error where the request is not one that can be planned. In builds with assertions
/// (unless the environment has RICCI_VERIFY_PLANS=0), and where it has RICCI_VERIFY_PLANS, every
/// pass is verified; with RICCI_PRINT_PASSES the plan is printed to standard error after each.
/// `around`: a loop around the steps, whose slots are those of names (slot_of_name); its passes
/// differ in where operands lie and in nothing else. The operands of the request are those of any
/// pass.
program_plan make_plan(const engine::request& request, const pass_observer& observe = {},
                       const step_loop* around = nullptr);

/// The plan after every pass, as notation.
std::string explain_passes(const engine::request& request, const step_loop* around = nullptr);

}  // namespace ricci::plan
