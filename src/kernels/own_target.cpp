// Compiled without the instructions of RICCI_OWN_TARGET, the target of all kernels, as all outside
// kernels is: it has to run where these do not.
#include "src/kernels/own_target.hpp"

#include <cstdio>
#include <cstdlib>

#include <hwy/targets.h>

bool ricci::kernels::own_target_is_here() {
    // Highway has a bit for each target; what it finds in the CPU has those of all that it runs.
    static const bool is_here = (hwy::SupportedTargets() & RICCI_OWN_TARGET) != 0;
    if (is_here) return true;
    std::fprintf(
        stderr,
        "ricci: this library was compiled for processors with %s alone (-Dtargets=own), and "
        "this one is without; build it with -Dtargets=all\n",
        hwy::TargetName(RICCI_OWN_TARGET));
    std::_Exit(1);
}
