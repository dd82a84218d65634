// The best contraction path through a summed product of the planner's expressions.
#pragma once

#include "src/path/path.hpp"
#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Of the sum over `over` of the product of two factors or more.
path::contraction_path path_through(const graph&, const expr_list& factors, const loop_list& over);

}  // namespace ricci::plan
