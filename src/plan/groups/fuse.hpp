// Fusion: steps whose intermediates need not exist become one fused group.
#pragma once

#include <ricci/ir/program.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Replaces contractions, element-wise passes and normalisations between two contractions by
/// fused groups wherever nobody else needs what is in between; notes why where that cannot be
/// done.
void fuse(program_plan& plan, const ir::program_view& program);

}  // namespace ricci::plan
