// Products of rows that are looked up: packing reads them where they lie.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Makes rows that are looked up for a few contractions alone operands of these, instead of storing
/// them first.
void pack_lookups(program_plan& plan);

}  // namespace ricci::plan
