// Folds of sums of two tensors, as max_j (A^{ij} + B^{jk}): products where a maximum, a minimum or
// a log-sum-exp stands for the sum, and a sum for the product.
#pragma once

#include <optional>

#include "src/plan/schedule/plan.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::plan {

/// What stands for the sum, if a fold is one of these.
std::optional<sum_algebra> algebra_of(fold);

/// The same of an assignment that can run so: a fold of two loads of floats without edges, one of
/// which lacks what the other has.
std::optional<sum_algebra> algebra_of(const program_plan& plan, const assign& a);

}  // namespace ricci::plan
