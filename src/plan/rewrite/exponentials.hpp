// Quotients and logarithms of exponentials are computed stably, wherever their parts stand.
#pragma once

#include <functional>
#include <vector>

#include "src/plan/read/equations.hpp"

namespace ricci::plan {

/// Exponentials that cancel are no longer computed: with E^{ij} = \exp(S^{ij}) and Z^i = \sum_j
/// E^{ij} in equations of their own, E^{ij} / Z^i is the softmax of S and \log Z^i its log-sum-exp,
/// as they are where one equation says all of it. Products of such values, as gradients have them,
/// and sums of values by E, such as \sum_j E^{ij} V^{jc} before a division by Z, count too.
///
/// For that each tensor is read as a coefficient times powers of exponentials and of sums of
/// exponentials. What nothing reads any more is not computed, unless it `is_kept`; that is computed
/// as written.
void cancel_exponentials(program_plan&, definitions&, std::vector<read_equation>&,
                         bool has_logarithms, const std::function<bool(slot_number)>& is_kept);

}  // namespace ricci::plan
