// A plan in words.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <ricci/ir/program.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Every equation with its steps: what is contracted over what, work, traffic; then the totals.
/// `details` says of a step and one of its parts how it is carried out where the plan leaves that
/// open, `kernels` which compiled code runs the contractions.
std::string explain(const ir::program_view& program, const program_plan& plan,
                    const std::function<std::string(std::size_t, std::size_t)>& details,
                    const std::string& kernels);

}  // namespace ricci::plan
