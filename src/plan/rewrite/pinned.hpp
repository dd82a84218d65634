// Who is the maximum is decided on the values of which it was taken.
#pragma once

#include <vector>

#include "src/plan/read/equations.hpp"

namespace ricci::plan {

/// Gives a value that a maximum or minimum is taken of, and that is compared for equality as well,
/// a tensor of its own before both: the gradient of y = max_i(a^i b^i) asks where a^i b^i is y.
/// Computed twice, in two steps, it may differ in its last bits; then no place, or not every place,
/// would be found. Of 16 bits that tensor holds floats, and so does one of its extremum, which y is
/// rounded from and the value is compared with.
///
/// Tensors as they are, and what is made of them without any rounding, stay where they are; so do
/// sums of those that would take more memory than all they are made of, as in max_j(a^{ij} +
/// b^{jk}): they have the same bits wherever they are computed.
///
/// What is looked up under brackets is looked up where some use wants it: [0 \le n^i]
/// \max_k(E^{n_i k} w^k) reads no row for an n^i of -1.
void pin_compared(program_plan&, definitions&, std::vector<read_equation>&);

}  // namespace ricci::plan
