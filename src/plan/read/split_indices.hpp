// Letters that have two extents in one equation become two letters.
#pragma once

#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which an index has one extent in each equation: below a sign that binds
/// it with another extent than the first one does, it is a new index. Extends `shapes` and `slots`
/// to the copy, which has no new names.
ir::program split_indices(const ir::program_view& program, ir::shape_table& shapes,
                          std::vector<slot>& slots, element type);

}  // namespace ricci::plan
