// What the order of indices costs: contractions beside the same ones in other orders.
#pragma once

namespace ricci::bench {

/// Prints the 95th percentile and the worst of a ratio, over random orders of the indices of
/// contractions of 1e6 to 1e8 operations in float: the time of a contraction to the least that it
/// takes to write the same into another layout and to transpose that, or to transpose an operand
/// first.
void measure_layouts(int threads);

}  // namespace ricci::bench
