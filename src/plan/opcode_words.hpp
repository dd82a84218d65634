// What operations and folds are called where a plan is explained.
#pragma once

#include "src/steps/map.hpp"

namespace ricci::plan {

const char* word_of(steps::opcode);
const char* word_of(steps::fold);

}  // namespace ricci::plan
