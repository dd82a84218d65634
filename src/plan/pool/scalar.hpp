// The instructions of element-wise programs on single numbers: constant folding in the planner and
// the factors of contractions at run time.
#pragma once

#include <ricci/element.hpp>
#include "src/steps/instruction.hpp"

namespace ricci::plan {

using namespace steps;

/// The value of an operation that has arguments; unused ones are ignored.
double evaluate(opcode code, double first, double second = 0, double third = 0);

/// The largest finite number of a type of floats.
double largest_number(element type);

/// Worth computing once for all elements of a loop that does not change its arguments.
bool is_expensive(opcode code);

}  // namespace ricci::plan
