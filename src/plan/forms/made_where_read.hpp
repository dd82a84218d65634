// Tensors with more elements than all that they are made of, such as the weights
// softmax_j (A^{ij} + B^{jk}) that the gradient of a log-sum-exp has, are not stored.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// What no fused group makes, and sums alone read, each element once, is made where it is read.
///
/// A softmax of a sum of two operands is a product there: of exp(a - r) and exp(b - c), r and c the
/// largest elements of each row and column of the operands, and of 1 / p, p the sum of these
/// products; its sums are contractions then. The log-sum-exp of the same terms is r + c + log p.
/// Where p is so small that its terms may have lost digits, it is no number, and the plan to run
/// instead makes each exponential of a difference from the largest term.
void make_where_read(program_plan&);

}  // namespace ricci::plan
