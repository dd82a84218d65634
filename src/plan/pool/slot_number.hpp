// The tensors of a plan by number.
#pragma once

#include <ricci/ir/program.hpp>

#include "src/base/number_of.hpp"

namespace ricci::plan {

struct slot;

/// A tensor by its place among the plan's slots.
using slot_number = number_of<slot>;

/// The slot of a tensor of the program: a plan has one for each name, in their order, and those of
/// temporaries behind them.
constexpr slot_number slot_of_name(ir::ref name) { return slot_number(name); }

}  // namespace ricci::plan
