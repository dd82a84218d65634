// Quotients and logarithms of exponentials are computed stably, wherever their parts stand.
#pragma once

#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/bind/operands.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which exponentials that cancel are no longer computed: with E^{ij} =
/// \exp(S^{ij}) and Z^i = \sum_j E^{ij} in equations of their own, E^{ij} / Z^i is the softmax of S
/// and \log Z^i its log-sum-exp, as they are where one equation says all of it. Products of such
/// values, as gradients have them, and sums of values by E, such as \sum_j E^{ij} V^{jc} before a
/// division by Z, count too. Nothing where no exponentials cancel, and for elements that are whole
/// or complex numbers.
///
/// For that each tensor is read as a coefficient times powers of exponentials and of sums of
/// exponentials. Tensors that nothing reads any more are not computed (`shape_only`); what a caller
/// keeps is computed as written.
///
/// Names keep their numbers, new ones come after them. `shapes` (in which an index has one extent
/// in each equation) and `slots`, of tensors of `type`, are extended to the copy.
std::optional<ir::program> cancel_exponentials(const ir::program_view& program,
                                               const name_roles& roles, ir::shape_table& shapes,
                                               std::vector<slot>& slots, element type);

}  // namespace ricci::plan
