// Steps over pairs of places of which a condition such as [j <= i] leaves about half: they run over
// panels of one loop, each with what the condition leaves there of the other.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Cuts steps that no fused group carries out. A map whose values are one number beyond the
/// condition writes that there; sums of products leave out what is multiplied by 0; and what nobody
/// reads beyond the condition is not made there.
void cut_masked(program_plan&);

}  // namespace ricci::plan
