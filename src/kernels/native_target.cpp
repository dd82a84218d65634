// A program for the build, not a part of the library: prints the SIMD target that the library would
// choose on this machine, then those that would never be chosen here, one a line. The baseline is
// not among the latter: it has to be compiled whatever happens.
#include <cstdint>
#include <cstdio>

#include <hwy/targets.h>

int main() {
    const std::int64_t present = hwy::SupportedTargets() & HWY_TARGETS;
    // Highway counts a better target as a lower bit.
    const std::int64_t best = present == 0 ? HWY_STATIC_TARGET : present & -present;
    std::puts(hwy::TargetName(best));
    for (std::int64_t rest = HWY_TARGETS & ~(best | HWY_STATIC_TARGET); rest != 0; rest &= rest - 1)
        std::puts(hwy::TargetName(rest & -rest));
}
