// Dead code: steps whose results nobody reads.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Takes out assignments that write what is neither an output nor read on the way to one.
void remove_unread(program_plan&);

}  // namespace ricci::plan
