// The loops of a product in another algebra, in the order in which memory is best walked.
#pragma once

#include "src/contract/index_groups.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::contractions {

/// As those of a contraction; k keeps the order it is given in where places along it are asked for,
/// which count in that order.
index_groups make_algebra_groups(const steps::algebra_product& what, int lanes);

}  // namespace ricci::contractions
