// The last pass: assignments become loops with strides, and programs of instructions.
#pragma once

#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Makes `plan.compiled` of `plan.steps`.
void emit(program_plan& plan);

}  // namespace ricci::plan
