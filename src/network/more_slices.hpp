// More slices for an order that takes more memory, when it runs, than there is.
#pragma once

#include <vector>

#include "src/network/sliced_plan.hpp"

namespace ricci::networks {

/// The slices of a plan, and more of them until its intermediates have together no more than `part`
/// of the elements that they had. The index that is cut next is the one that takes most elements
/// away for what is computed again; never one whose places are chosen row by row. What a run keeps
/// beside what products need, as derivatives do, no order is found for: its tree is cut here.
/// Empty where nothing can be cut.
std::vector<path::slice> more_slices(const run_request& asked, const sliced_plan& plan,
                                     double part);

}  // namespace ricci::networks
