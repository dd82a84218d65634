// From a request to a plan: the passes of the planner, in order.
//
// | pass      | what holds after it                                                              |
// |-----------|----------------------------------------------------------------------------------|
// | bind      | every name has memory, extents and a role; every place is in range               |
// | split     | a letter has one extent in an equation                                           |
// | cancel    | no exponential is made that cancels: a softmax written in parts is stable        |
// | share     | a sum that several equations contain is an equation of its own                   |
// | order     | assignments: no sum inside a body; a sum of products has two factors             |
// | fuse      | planes are tiles of fused groups wherever that is legal and pays                 |
// | chain     | two groups that make the same product run together by blocks of rows             |
// | protect   | outputs on inputs' memory, or scaled and read, are written when nobody reads it  |
// | emit      | strides, instructions and kernels' loops; before it there are none               |
// | join      | contractions that pack the same operand are one step                             |
// | loop      | where steps run in a loop: what depends on it is known                           |
// | workspace | intermediates have places; those that live at different times share them         |
//
// The first four rewrite the program, the next four the list of assignments, the last four what is
// made of it. Protecting an output may order, fuse and chain once more.
#pragma once

#include <functional>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/program.hpp>

#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Called after every pass with its name; the plan is null until there are assignments.
using pass_observer =
    std::function<void(const char* pass, const ir::program_view&, const program_plan*)>;

/// Throws ricci::error where the request is not one that can be planned. In builds with assertions,
/// and where the environment has RICCI_VERIFY_PLANS, every pass is verified; with
/// RICCI_PRINT_PASSES the plan is printed to standard error after each.
/// `around`: a loop around the steps, where names of the program stand for slots; its passes differ
/// in where operands lie and in nothing else. The operands of the request are those of any pass.
program_plan make_plan(const engine::request& request, const pass_observer& observe = {},
                       const step_loop* around = nullptr);

/// The plan after every pass, as notation.
std::string explain_passes(const engine::request& request, const step_loop* around = nullptr);

}  // namespace ricci::plan
