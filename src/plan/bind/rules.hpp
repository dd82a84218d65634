// What the numbers of operands have to be, which only a run can tell.
#pragma once

#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Adds the rules of operands that are compared or stand as conditions. Throws ricci::error where a
/// type or a number breaks one already.
void add_rules(program_plan& plan, const ir::program_view& program, const std::vector<slot>& slots);

}  // namespace ricci::plan
