// Where a stage is cut in two, so that an exchange begins while the rest of it is computed.
#pragma once

#include <map>
#include <vector>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// In which stage names are there, and in which they are computed.
struct stage_numbers {
    std::map<ir::ref, int> there, made;
    int last = 0;
};

/// The same with exchanges last, those first that wait for the fewest computations.
std::vector<operation> in_order_of_readiness(const workbench& bench,
                                             const std::vector<operation>& operations);

/// Of each stage what an exchange waits for comes first, in the order of the exchanges, and what
/// none of them waits for comes last: it hides them. A stage is cut there only where that hides
/// more than it costs to store what is made before the cut and read behind it, and where none of
/// that is larger than all that the caller has, as scores of all pairs are. The same on all ranks.
stage_numbers cut_for_overlap(const workbench& bench, const std::vector<operation>& operations,
                              const std::vector<ir::ref>& outputs, stage_numbers stages);

}  // namespace ricci::mpi
