// Planes of a few rows that are stored for a panel of rows at a time.
#pragma once

#include <cstdlib>

namespace ricci::testing {

/// As long as it lives, plans cut small planes, too: into panels of few rows, and by conditions.
class with_small_panels {
public:
    with_small_panels() { setenv("RICCI_CUT_ALL", "1", 1); }
    ~with_small_panels() { unsetenv("RICCI_CUT_ALL"); }
    with_small_panels(const with_small_panels&) = delete;
    with_small_panels& operator=(const with_small_panels&) = delete;
};

}  // namespace ricci::testing
