// Quotients of sums over one line.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// What stands above the line where all of an expression stands over one, each sum that divides as
/// often as it has to: it is 0 where the expression is. None where it grows too large.
ir::ref numerator_of(ir::program& p, ir::ref n);

}  // namespace ricci::judge
