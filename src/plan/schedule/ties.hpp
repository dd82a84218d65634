// Sums over ties, as sum_k g^{ik} [A^{ij} + B^{jk} = C^{ik}]: what a maximum of sums has as a
// gradient, and how many terms are as large as it.
#pragma once

#include <optional>

#include "src/plan/schedule/plan.hpp"
#include "src/steps/ties.hpp"

namespace ricci::plan {

/// The operands of such a sum, all of them loads, and its loops by where they move.
struct tie_form {
    tie_test test = tie_test::row_is_sum;
    expr row, column, kept, weight;  // weight: none where it is 1
    double number = 1;
    loop_list batch, m, n, k;
};

/// The form of an assignment that can run so: a sum of a bracket in which a sum of two tensors of
/// floats is a third one, times a tensor at most that lacks the columns.
std::optional<tie_form> ties_of(const program_plan& plan, const assign& a);

}  // namespace ricci::plan
