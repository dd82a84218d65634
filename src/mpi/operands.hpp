// What ranks bind, compared, and put together to the whole tensors that are meant.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include <ricci/mpi.hpp>
#include <ricci/program.hpp>

#include "src/mpi/grid.hpp"
#include "src/placement/shared_call.hpp"

namespace ricci::mpi {

/// A call as all ranks know it. Throws the same on every rank.
shared_call shared_call_of(const grid_of_ranks& grid, const ricci::program& p,
                           const std::vector<std::string>& shared_out,
                           const std::vector<named>& operands, const prepare_options& options,
                           const run_options& together);

}  // namespace ricci::mpi
