// A plan as notation: what a reader of the equations recognises.
#pragma once

#include <cstddef>
#include <string>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A line for each assignment; the members of a fused group stand under it. Without a plan the
/// program's equations.
std::string notation_of(const ir::program_view& program, const program_plan* plan);
/// The same under `after PASS`.
std::string notation_after(const char* pass, const ir::program_view& program,
                           const program_plan* plan);
/// One step.
std::string notation_of(const ir::program_view& program, const program_plan& plan,
                        std::size_t step);

}  // namespace ricci::plan
