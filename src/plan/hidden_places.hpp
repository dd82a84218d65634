// Places beyond the end of an axis, which are read where a bracket is false.
#pragma once

#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which a use of a tensor at arithmetic that leaves its axis, as x^{i+1} in
/// [i < 3] (x^{i+1} - x^i), is a gather, of x at the number i + 1: where the number is no place of
/// the axis nobody wants the value (check_places has seen to that), and nothing is read. Where the
/// tensors' numbers do not count so far it is a sum over the axis, \sum_p [p = i + 1] x^p, which
/// has no such p beyond the end. Nothing where all places are inside.
///
/// Names and indices keep their numbers, new indices come after them. `shapes` (in which an index
/// has one extent in each equation) and `slots`, of tensors of `type`, are extended to the copy.
std::optional<ir::program> write_out_hidden_places(const ir::program_view& program,
                                                   ir::shape_table& shapes,
                                                   std::vector<slot>& slots, element type);

}  // namespace ricci::plan
