// Who is the maximum is decided on the values of which it was taken.
#pragma once

#include <optional>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which an expression that a maximum or minimum is taken of, and that is
/// compared for equality as well, is a tensor with an equation of its own before both: the gradient
/// of y = max_i(a^i b^i) asks where a^i b^i is y. Computed twice, in two steps, it may differ in
/// its last bits, and in 16 bits y is rounded as no product on the way is; then no place, or not
/// every place, would be found. Nothing where there is no such expression.
///
/// Tensors as they are, and what is made of them without any rounding, stay where they are; so do
/// sums of those that would take more memory than all they are made of, as in max_j(a^{ij} +
/// b^{jk}): they have the same bits wherever they are computed.
///
/// What looks places up below brackets is made under the condition that some use wants it there:
/// [0 \le n^i] \max_k(E^{n_i k} w^k) reads no row for an n^i of -1.
///
/// Names keep their numbers, new ones come after them. `shapes` (in which an index has one extent
/// in each equation) and `slots`, of tensors of `type`, are extended to the copy.
std::optional<ir::program> share_compared_extrema(const ir::program_view& program,
                                                  ir::shape_table& shapes, std::vector<slot>& slots,
                                                  element type);

}  // namespace ricci::plan
