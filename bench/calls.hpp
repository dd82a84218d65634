// What a call costs besides the arithmetic.
#pragma once

namespace ricci::bench {

/// Prints nanoseconds of prepared and plain calls on small operands.
void measure_calls();

}  // namespace ricci::bench
