// The invariants of a program that the first passes of the planner rewrite, checked.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// Throws std::logic_error, with the pass and the equation, where a program breaks one of these:
/// - whatever refers to something by number refers to something that there is;
/// - each tensor is defined once, and before equations that are computed read it;
/// - each tensor has one rank;
/// - an equation has no index that is neither on its left nor summed.
void verify_program(const ir::program_view& program, const char* pass);

}  // namespace ricci::plan
