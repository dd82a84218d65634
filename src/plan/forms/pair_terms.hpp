// A maximum, a minimum or a log-sum-exp of several terms that have different loops, such as
// max_j (A^{ij} + 2 B^{jk} + c^k), becomes one of two operands, which runs as a product does.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Terms without the folded loops are added to the fold, those of the same loops to each other
/// before, and where more than two operands are left, two at a time are folded, in the order of a
/// contraction's path. Not where a term has all loops, as then each pair is read in any case; nor
/// where some step compares numbers and sums of several terms would be rounded in another order:
/// who is the maximum is asked of the values of which it was taken.
void pair_terms(program_plan&);

}  // namespace ricci::plan
