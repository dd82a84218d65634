// Planes that are stored for some rows at a time.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Runs steps that hand each other planes, and that no fused group carries out, panel by panel of
/// rows: of the planes there are as many rows as a panel has. What they fold over the rows is
/// folded panel by panel. Not for plans that a loop runs, whose steps may run in one pass alone and
/// leave what they make to others: panels share memory. Nor where outputs lie in inputs' memory,
/// where the order of steps is theirs alone.
void store_row_panels(program_plan&);

}  // namespace ricci::plan
