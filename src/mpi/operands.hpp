// What ranks bind, compared, and put together to the whole tensors that are meant.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ir/shape_table.hpp>
#include <ricci/program.hpp>

#include "src/mpi/grid.hpp"
#include "src/mpi/placed_program.hpp"

namespace ricci::mpi {

/// A call as all ranks know it.
struct shared_call {
    ricci::program program;                     // what memory is bound to is an output
    std::vector<named> operands;                // of this rank, by their canonical names
    std::vector<shared_letter> shared;          // those over more than one rank, or one at least
    std::vector<MPI_Comm> comms;                // by shared letter
    std::vector<shared_axes> axes;              // the same
    std::vector<std::vector<ir::ref>> letters;  // the same: where it is a letter of the text
    ir::shape_table shapes;                     // of the whole tensors
    element type = element::f64;
    std::vector<ir::ref> inputs, outputs;  // in the order of the operands, and of the equations
};

/// The communicators are those of `grid`. Throws the same on every rank.
shared_call shared_call_of(const grid_of_ranks& grid, const ricci::program& p,
                           const std::vector<std::string>& shared_out,
                           const std::vector<named>& operands, const prepare_options& options);

}  // namespace ricci::mpi
