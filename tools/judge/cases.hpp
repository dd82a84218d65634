// Proofs by cases: where numbers are compared, an equation is proved for each sign of their
// difference - less than 0, 0, and more than 0, so that ties are among them.
#pragma once

#include <functional>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// Whether an expression of real numbers is 0 wherever it is finite; a sum, where what it sums is 0
/// for each value of its indices. `is_zero`: whether one is that compares nothing.
/// `positive`: names all of whose numbers are.
bool vanishes_by_cases(ir::program& p, ir::ref n, const std::function<bool(ir::ref)>& is_zero,
                       const std::vector<ir::ref>& positive = {});

}  // namespace ricci::judge
