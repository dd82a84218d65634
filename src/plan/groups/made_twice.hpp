// Tensors of which exponentials are summed along both sides, made once for each.
#pragma once

#include <vector>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A fused group finds the softmaxes and log-sum-exps along one side of its planes. Where a tensor
/// has some along another side, too, as the scores of a loss that is symmetric in i and j, those
/// get a copy of what makes it, and a softmax along that side is made of its maximum and its sum:
/// neither tensor need be stored then. Returns the copies, in the order in which they are made.
std::vector<slot_number> make_twice(program_plan&);

}  // namespace ricci::plan
