// Tensors that are read alike by two assignments whose loops have different names.
#pragma once

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// The names that loops of the first access have in the second, where it reads the same elements;
/// empty where it does not. `own`: which loops of the first may have another name.
loop_map same_but_for(const access& first, const access& second, const loop_list& own);

}  // namespace ricci::plan
