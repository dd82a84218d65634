// The invariants of a plan's assignments, checked.
#pragma once

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Throws std::logic_error, with the pass and the step as notation, where a plan breaks one of
/// these:
/// - an access has a place for each axis of its slot, in range for all values of its loops;
/// - places are sorted by loop, without factors of 0 and loops of extent 1, which only a softmax
///   runs;
/// - a body has no sum inside, and depends on no loop that is neither the target's nor folded;
/// - a contraction multiplies two loads; its factor depends on no loop;
/// - contractions and maps read tensors of the type that they write;
/// - intermediates are written before they are read or added to; inputs are not written;
/// - tiles are touched by members of groups alone;
/// - a step touches what it says;
/// - after `protect`, an output in the memory of an input is written when nobody reads it any more;
/// - rules are about operands;
/// - groups and chains are what verify_group.hpp says.
void verify(const program_plan& plan, const ir::program_view& program, const char* pass);

}  // namespace ricci::plan
