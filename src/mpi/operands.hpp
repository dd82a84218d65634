// What ranks bind, compared, and put together to the whole tensors that are meant.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include <ricci/mpi.hpp>
#include <ricci/program.hpp>

#include "src/mpi/grid.hpp"
#include "src/placement/shared_call.hpp"

namespace ricci::mpi {

/// What this rank asks for. `layers`: in words, how often it is carried out, or nothing.
struct asked_call {
    ricci::program program;
    std::vector<named> operands;
    std::string layers;
};

/// A call as all ranks know it. Throws the same on every rank, also where `asked` throws on one.
shared_call shared_call_of(const grid_of_ranks& grid, const std::function<asked_call()>& asked,
                           const std::vector<std::string>& shared_out,
                           const prepare_options& options, const run_options& together);
/// The program with what memory is bound to among its outputs.
ricci::program with_bound_kept(ricci::program p, const std::vector<named>& operands);
/// Operands by the canonical spelling of their names.
std::vector<named> with_canonical_names(std::vector<named> operands);

}  // namespace ricci::mpi
