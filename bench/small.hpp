// Small contractions with extents in their types.
#pragma once

namespace ricci::bench {

/// Times the cases of the group "small" beside Eigen, where it is installed, for the instructions
/// that this file is compiled for; `peak` in GFLOP/s.
void measure_small(double peak);

}  // namespace ricci::bench
