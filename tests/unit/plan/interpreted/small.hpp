// Recorded programs with small extents, for interpreters that run plain loops.
#pragma once

#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {

/// The same program with extents drawn from 1 to 9, such that no equation has many combinations of
/// its indices.
recorded_program with_small_extents(const recorded_program& program, unsigned seed);

}  // namespace ricci::testing
