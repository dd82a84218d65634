// Streams that can run together, a block of rows at a time.
#pragma once

#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Marks pairs of streams over the same loops of which the second one needs of the first, and of sums
/// between them, only what these give for the same rows, where both have a product in common: as a
/// softmax and the gradients that make its weights again. Moves steps that stand between them and do not
/// belong to them before or behind.
void chain_streams(program_plan& plan);

}  // namespace ricci::plan
