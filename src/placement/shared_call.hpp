// A call of which indices are shared out over a grid of ranks, as all ranks know it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ricci/ir/shape_table.hpp>
#include <ricci/program.hpp>

#include "src/placement/local_request.hpp"
#include "src/placement/placed_program.hpp"

namespace ricci::mpi {

/// Where a rank is in a grid, by dimension.
struct grid_place {
    std::vector<int> extents;
    std::vector<int> places;
};

struct shared_call {
    explicit shared_call(ricci::program p) : program(std::move(p)), shapes(program.view()) {}

    ricci::program program;                     // what memory is bound to is an output
    std::vector<named> operands;                // of this rank, by their canonical names
    std::vector<shared_letter> shared;          // those over more than one rank, or one at least
    std::vector<std::size_t> dimensions;        // by shared letter: of the grid
    std::vector<shared_axes> axes;              // by shared letter
    std::vector<std::vector<ir::ref>> letters;  // the same: where it is a letter of the text
    ir::shape_table shapes;                     // of the whole tensors
    element type = element::f64;
    int blocks = 0;                        // of each shared letter, where results are reproducible
    std::vector<ir::ref> inputs, outputs;  // in the order of the operands, and of the equations
    std::set<ir::ref> may_wait;            // outputs whose sums over ranks are folded later

    /// Finds what ranks have parts of: the axes of each letter, of which no two are one axis.
    /// Throws ricci::error where a letter cannot be shared out.
    void share_out(const std::vector<std::string>& shared_out, const grid_place& grid);
    /// `whole`: the operands as they would be on one machine.
    void complete(const std::vector<named>& whole, const prepare_options& options);
    /// The same of some of the equations: what they take may be computed by the others.
    shared_call part_of(ricci::program part) const;
    /// Of this rank, for what it has of the operands. Refers to this.
    sharing_request request(const rank_memory& memory);

private:
    void leave_out_single_ranks();
    void find_outputs();
};

}  // namespace ricci::mpi
