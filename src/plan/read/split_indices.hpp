// Letters that have two extents in one equation become two letters.
#pragma once

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::plan {

/// A copy of `program` in which an index has one extent in each equation: below a sign that binds
/// it with another extent than the first one does, it is a new index. Extends `shapes` to the copy.
ir::program split_indices(const ir::program_view& program, ir::shape_table& shapes);

}  // namespace ricci::plan
