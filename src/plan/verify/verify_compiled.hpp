// The invariants of what emission makes of a plan's assignments, checked.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Throws std::logic_error, with the pass, where what is compiled breaks one of these:
/// - every operand stays in the memory of its slot: its offset, its strides over all iterations of
///   the loops, the places that it looks up, and those that its edges let it read;
/// - the result of a step that is one assignment reaches what the target of the assignment does,
///   and so does each factor of a contraction;
/// - steps that are joined touch nothing that another of them writes.
void verify_compiled(const program_plan& plan, const char* pass);

}  // namespace ricci::plan
