// Functions of matrices that stand in expressions: tensors of their own, with equations before that
// in which they stand.
#pragma once

#include <vector>

#include "src/plan/forms/fold_forms.hpp"
#include "src/plan/pool/definitions.hpp"
#include "src/plan/read/equations.hpp"

namespace ricci::plan {

/// A load of such a function, whose equation is the last of `read` then. `guards`: where one of
/// them is 0, nobody wants it, and its matrix need not have an inverse; `around`: which equation
/// needs it.
expr add_function(program_plan&, std::vector<read_equation>& read, const matrix_function&,
                  expr_list guards, ir::ref around);

/// Where some of the guards' places want a function, as a number; none: everywhere.
expr wanted_of(graph&, const matrix_function&, expr_span guards);

/// Gives operands of functions tensors, equal ones once. A matrix that nobody wants anywhere
/// becomes the unit matrix.
void store_matrices(program_plan&, definitions&, std::vector<read_equation>&);

}  // namespace ricci::plan
