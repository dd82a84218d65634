// Intermediates that are stored, in words.
#pragma once

#include <functional>
#include <string>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A line for each: how large it is, and why it is stored. Those of which the plan's notes say why
/// are left out. `name`: what a tensor is called, with its indices and without.
std::string words_of_stored(const ir::program_view& program, const program_plan& plan,
                            const std::function<std::string(slot_number, bool indices)>& name);

}  // namespace ricci::plan
