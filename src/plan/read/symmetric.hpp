// Matrices that are symmetric by how they are written.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// Whether an expression, or what a tensor is by definition, is the same with two of the indices at
/// which it is read in each other's place: A^{ia} A^{ja} + s \delta^{ij}. False for an input.
bool is_symmetric(const ir::program_view& program, ir::ref matrix, ir::ref row, ir::ref column);

}  // namespace ricci::plan
