// Adding up results of parts of a network: in its algebra, element by element.
#pragma once

#include <cstddef>
#include <optional>

#include <ricci/element.hpp>

#include "src/steps/algebra.hpp"

namespace ricci::networks {

/// Fills memory with the sum of nothing. Without an algebra: of sums and products.
void clear_sum(element type, std::optional<steps::sum_algebra> algebra, void* to,
               std::size_t bytes);
/// Adds what is in other memory. Element types are those that networks are computed in.
void add_sum(element type, std::optional<steps::sum_algebra> algebra, void* to, const void* from,
             std::size_t bytes);

}  // namespace ricci::networks
