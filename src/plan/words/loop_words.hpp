// The loop around the steps of a plan, in words.
#pragma once

#include <string>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// How often the steps run, and how what they touch moves from pass to pass: lines; empty where
/// there is no loop.
std::string words_of_loop(const ir::program_view& program, const program_plan& plan);

}  // namespace ricci::plan
