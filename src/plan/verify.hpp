// The invariants of a plan's assignments, checked.
#pragma once

#include <ricci/ir/program.hpp>

#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Throws std::logic_error, with the pass and the step as notation, where a plan breaks one of
/// these:
/// - an access has a place for each axis of its slot, in range for all values of its loops;
/// - places are sorted by loop, without factors of 0 and loops of extent 1;
/// - a body has no sum inside, and depends on no loop that is neither the target's nor folded;
/// - a contraction multiplies two loads; its factor depends on no loop;
/// - intermediates are written before they are read; inputs are not written;
/// - within a group tiles are made before they are read, at the group's loops, by its members
///   alone;
/// - a factor of a product lacks columns and the other one rows; sums over rows or columns are
///   whole;
/// - a group reads no result of its own.
void verify(const program_plan& plan, const ir::program_view& program, const char* pass);

}  // namespace ricci::plan
