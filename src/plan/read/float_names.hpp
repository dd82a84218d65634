// Which named tensors of a program of 16 bits may be floats. What the text names is rounded when it
// is written; what is made tile by tile, and never written, is not.
#pragma once

#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Intermediates of the type of the plan, by name.
std::vector<bool> intermediates_of(const std::vector<slot>& slots);

/// Takes those out that are compared, or rounded to whole numbers, together with what is made of
/// them and rounded: [S^{ij} \ge m^i] may ask for the largest of the numbers that m was taken of.
void keep_compared_rounded(const ir::program_view& program, std::vector<bool>& floats);

}  // namespace ricci::plan
