// Functions of matrices, each the right side of an equation of its own.
#pragma once

#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which determinants times inverses are cofactors, inverses that a sum
/// multiplies by something are solutions (`ir::reduction::solve`), and every function of a matrix
/// is all that an equation says, of tensors alone. Equal ones are one tensor. Nothing where there
/// are none.
///
/// Names keep their numbers, new ones come after them. `shapes` (in which an index has one extent
/// in each equation) and `slots`, of tensors of `type`, are extended to the copy.
std::optional<ir::program> lift_matrices(const ir::program_view& program, ir::shape_table& shapes,
                                         std::vector<slot>& slots, element type);

}  // namespace ricci::plan
