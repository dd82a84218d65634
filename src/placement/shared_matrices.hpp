// Functions of a matrix whose rows or columns would lie in parts.
#pragma once

#include <string>

#include <ricci/ir/program.hpp>

#include "src/placement/search.hpp"

namespace ricci::mpi {

/// Throws ricci::error where a single matrix is shared out: one rank factors it. `axes`: what is
/// shared out of the letter.
void refuse_shared_matrices(const ir::program_view& p, const shared_axes& axes,
                            const std::string& letter);

}  // namespace ricci::mpi
