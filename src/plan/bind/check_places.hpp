// Places beside an axis, which conditions have to keep from being read, and means of no place.
#pragma once

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::plan {

/// `[i \ge 1] x_{i-1}` reads no place -1, as the bracket is false there. Throws ricci::error where
/// the conditions on positions around such a place, which `ir::kept_inside` marks, hold although it
/// is outside of its axis, or where the condition of a mean leaves no place; conditions on the
/// values of tensors are taken to hold.
void check_places(const ir::program_view& program, const ir::shape_table& shapes);

}  // namespace ricci::plan
