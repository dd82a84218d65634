// A plan that runs, in words: its steps, and the kernels that carry them out.
#pragma once

#include <string>

#include <ricci/ir/program.hpp>

#include "src/engine/execution.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::engine {

/// `program`: that the plan is of. `kernels`: made for the plan, with memory or without.
std::string words_of(const ir::program_view& program, const plan::program_plan& plan,
                     const execution& kernels);

}  // namespace ricci::engine
