// Matrices that are symmetric by how they are written.
#pragma once

#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

/// Whether a value is the same with two of its loops in each other's place, by the definitions of
/// the tensors in it: A^{ia} A^{ja} + s \delta^{ij}. False for an input.
bool is_symmetric(graph&, const definitions&, expr matrix, loop row, loop column);

}  // namespace ricci::plan
