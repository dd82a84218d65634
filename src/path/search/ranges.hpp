// Slices of a finished order: enough of them, and no more parts than needed.
#pragma once

#include <vector>

#include "src/path/search.hpp"

namespace ricci::path {

/// Gives the order slices that keep every result of a product within `largest` elements. `fixed`
/// flags indices that are worth slicing; others are added where they do not suffice, and an extent
/// is cut into as few ranges as will do. Throws ricci::error where nothing suffices.
void cut_to_limit(const hypergraph& network, double largest, const std::vector<char>& fixed,
                  order_found& order);

}  // namespace ricci::path
