// Log-sum-exps in two parts.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Where a log-sum-exp is a term beside others, as in l - x, it is two terms instead: the maximum
/// and what is beyond it. Others may cancel the maximum, however large that is, and what is left
/// then would have no room beside it. A log-sum-exp that is wanted itself is their sum.
void keep_maxima_apart(program_plan& plan);

}  // namespace ricci::plan
