// What operations, folds and ways are called where a plan is explained.
#pragma once

#include "src/plan/schedule/matrix_task.hpp"
#include "src/plan/schedule/way.hpp"
#include "src/steps/fused.hpp"
#include "src/steps/map.hpp"

namespace ricci::plan {

const char* word_of(steps::opcode);
const char* word_of(steps::fold);
const char* word_of(matrix_task task);
const char* word_of(way);
const char* word_of(steps::loop_role);

}  // namespace ricci::plan
