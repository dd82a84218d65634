// How fast this machine computes what a rank has to, by running it on random numbers.
#pragma once

#include <vector>

#include <ricci/program.hpp>

#include "src/placement/paper_run.hpp"
#include "src/placement/report.hpp"

namespace ricci::command {

/// The parts of a run on paper themselves where they are small; otherwise the parts that there are
/// with fewer ranks and shorter axes, or, where a program cannot be made smaller, a product of
/// matrices. `shapes` are those of whole tensors.
mpi::rank_speed speed_of_parts(const program& p, const std::vector<named>& shapes,
                               const mpi::paper_run& run);

/// Floating-point operations a second of a product of matrices.
double speed_of_product(element type);

}  // namespace ricci::command
