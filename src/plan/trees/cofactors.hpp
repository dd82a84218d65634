// Determinants times inverses: cofactors, which a singular matrix has, too.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// Writes each product of \det_{ij}(K^{ij}), or of a tensor that is defined as that, and of the
/// inverse of the same K as the cofactors of K. That is what the gradient of a determinant says:
/// the product is the same where K has an inverse, and what it tends to where it has none.
void write_cofactors(ir::program& program);

}  // namespace ricci::plan
