// Inverses that a sum multiplies by something are solutions.
#pragma once

#include <optional>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::plan {

/// A copy of `program` in which a sum over an inverse is a solution, and a determinant times an
/// inverse of the same matrix its cofactors; nothing where there is no inverse. `shapes`, in which
/// an index has one extent in each equation, becomes that of the copy.
std::optional<ir::program> write_solutions(const ir::program_view& program,
                                           ir::shape_table& shapes);

}  // namespace ricci::plan
