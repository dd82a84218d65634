// What a plan that is ready to run has in memory beside its workspace and what kernels lend.
#pragma once

#include "src/network/sliced_plan.hpp"

namespace ricci::networks {

/// Bytes of the tables that products find their elements with: an offset, and how many follow it,
/// of each row, column and term in both tensors that have it. At the most: some products need none.
double bytes_of_tables(const sliced_plan& plan);

/// Bytes of the places that a run in another algebra keeps of what each step gives.
double bytes_of_places(const sliced_plan& plan);

}  // namespace ricci::networks
