// Contractions that follow each other and have an operand in common.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Makes one step of contractions that may run together: all multiply the same operand along the
/// same loops, and none needs, or writes over, what another touches. The projections of one input
/// are such. Before the workspace is laid out, as intermediates of what runs together must not take
/// each other's place.
void join_contractions(program_plan& plan);

}  // namespace ricci::plan
