// Sums over columns that are sums of what another consumer gives.
#pragma once

#include <optional>
#include <vector>

#include "src/plan/groups/consumers.hpp"
#include "src/plan/groups/tile_values.hpp"

namespace ricci::plan {

/// sum_j X_ij (sum_c A_ic B_jc) is sum_c A_ic (sum_j X_ij B_jc): a map instead of `sum` where
/// `bracket` gives the bracket. Nothing where it does not. Where the bracket's target becomes
/// something else, as `changes` says, what the bracket gives is kept apart from it.
std::optional<made_step> sum_of_output(program_plan&, const grown_group&, tile_values&,
                                       const consumer& sum, consumer& bracket, bool changes,
                                       std::vector<made_step>& made);

}  // namespace ricci::plan
