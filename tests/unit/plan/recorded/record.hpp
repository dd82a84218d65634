// The record of a plan: what was decided, in lines of text that are compared exactly.
#pragma once

#include <string>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::testing {

/// The steps in order, what each fused group makes and stores, the workspace and its tensors, and
/// what was not fused. Tensors have their names, or t1, t2, ... in the order of their first use;
/// nothing depends on the machine, on addresses, or on numbers of slots.
std::string record_of(const ir::program_view& program, const plan::program_plan& plan);

}  // namespace ricci::testing
