// Only of a library whose kernels were compiled for one SIMD target alone, RICCI_OWN_TARGET: ends a program on a
// machine without it in one sentence, where the first kernel would end it by an illegal instruction. Compiled without
// that target's instructions, as everything outside kernels is.
#include <cstdio>
#include <cstdlib>

#include <hwy/targets.h>

namespace {

// Highway names targets by bits; what it finds in the CPU has those of all that it runs.
[[maybe_unused]] const bool checked = [] {
    if ((hwy::SupportedTargets() & RICCI_OWN_TARGET) != 0) return true;
    std::fprintf(stderr,
                 "ricci: this library was compiled for machines with %s alone (-Dtargets=own), and "
                 "this one is without; build "
                 "it with -Dtargets=all\n",
                 hwy::TargetName(RICCI_OWN_TARGET));
    std::_Exit(1);
}();

}  // namespace
