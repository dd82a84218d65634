// The placement that moves least.
#pragma once

#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// By name: the axis that is shared out of what the caller binds and gets, or -1.
using shared_axes = std::vector<std::int32_t>;

/// What is shared out of inputs and outputs: the axes that stand under the letter in some equation,
/// and of derivatives those that what they are of has. Throws ricci::error where no tensor has the
/// letter, and where one has it twice.
shared_axes axes_with(const ir::program_view& p, const std::string& letter);

/// All that is done, in order, and under which name each output is in the end.
struct chosen_placement {
    std::vector<operation> operations;
    std::vector<ir::ref> outputs;  // in the order of `wanted`
    double work = 0;               // multiplications of the rank that has most to do
};

/// `wanted`: the outputs. `letters`: the letters of the text that are shared out wherever they
/// stand.
chosen_placement choose_placement(workbench& bench, const shared_axes& axes,
                                  const std::vector<ir::ref>& inputs,
                                  const std::vector<ir::ref>& wanted,
                                  const std::vector<ir::ref>& letters);

}  // namespace ricci::mpi
