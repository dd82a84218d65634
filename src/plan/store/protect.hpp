// Outputs on the memory of inputs: which may be written at once.
#pragma once

#include <cstdint>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Whether an output, a slot, may be written to memory that is an input as well: in one pass that
/// reads each element of it only where it writes it, after every other step that reads it.
bool safe_in_place(const program_plan& plan, slot_number output);

}  // namespace ricci::plan
