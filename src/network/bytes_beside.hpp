// What a plan that is ready to run has in memory beside its workspace and what kernels lend.
#pragma once

#include <cstdint>
#include <span>

#include "src/network/sliced_plan.hpp"

namespace ricci::networks {

/// Bytes of the tables that products find their elements with: an offset, and how many follow it,
/// of each row, column and term in both tensors that have it. At the most: some products need none.
double bytes_of_tables(const sliced_plan& plan);

/// Bytes of the exponents that one lane of a scaled run has of what its steps make, and of what it
/// measures them with.
double bytes_of_exponents(const sliced_plan& plan, std::span<const std::int32_t> block_indices);

/// Bytes of the places that a run in another algebra keeps of what each step gives.
double bytes_of_places(const sliced_plan& plan);

}  // namespace ricci::networks
