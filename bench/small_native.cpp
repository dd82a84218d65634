// The small contractions alone, in a program that is compiled for this machine's instructions.
#include <fmt/core.h>

#include "bench/peak.hpp"
#include "bench/small.hpp"

int main() {
    const double peak = ricci::bench::peak_gflops<float>(1);
    fmt::print("# peak of 1 thread, float: {:.1f} GFLOP/s\n", peak);
    ricci::bench::measure_small(peak);
}
