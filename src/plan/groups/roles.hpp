// Which loops of a fused group are its rows, its columns and its batch.
#pragma once

#include <cstddef>
#include <string>

#include "src/plan/schedule/grown_group.hpp"

namespace ricci::plan {

/// What a loop order sums for a consumer: columns, rows, or neither (batch), where the tile itself
/// is wanted; the longest of the row loops is that of a tile.
loop_role summed_role(const grown_group&, std::size_t consumer);

/// Moves loops from rows to batch until every product and every consumer suits: a factor of a
/// product has no columns or no rows, and a sum over rows is over all of them. False, with a reason
/// where one is worth telling, when a consumer is of a kind that no loop order has.
bool settle_roles(grown_group&, std::string& reason);

}  // namespace ricci::plan
