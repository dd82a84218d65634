// Inverses that a sum multiplies by something are solutions.
#pragma once

#include <vector>

#include "src/plan/read/equations.hpp"

namespace ricci::plan {

/// Makes a sum over the rows or the columns of an inverse a solution, whose right-hand side is what
/// else has these, and a determinant times an inverse of the same matrix, or of its transpose, its
/// cofactors: that is what the gradient of a determinant says, and it is there where the matrix has
/// no inverse, too. Functions that nothing reads any more go.
void write_solutions(program_plan&, definitions&, std::vector<read_equation>&);

}  // namespace ricci::plan
