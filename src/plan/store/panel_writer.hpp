// The steps of a chain of planes for one panel of rows after another.
#pragma once

#include <cstdint>

#include "src/plan/schedule/plan.hpp"
#include "src/plan/store/plane_chain.hpp"

namespace ricci::plan {

/// Has the steps of a chain run once for the first rows, and then in passes, each for so many rows
/// behind those of the pass before. Of the planes there are the rows of a panel; all else that has
/// the rows is seen through windows, which move on with the passes. There are two rows in a panel
/// at least, and more than one panel.
void write_panels(program_plan&, const plane_chain&, std::int64_t rows);

}  // namespace ricci::plan
