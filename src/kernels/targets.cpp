// The SIMD targets of this CPU by name, and how tests choose one of them.
#include "src/kernels/targets.hpp"

#include <cstdint>

#include <hwy/highway.h>
#include <hwy/targets.h>

#ifdef RICCI_OWN_TARGET
static_assert(HWY_STATIC_TARGET == RICCI_OWN_TARGET, "own_target.cpp asks for another target");
#endif

namespace ricci::kernels {
namespace {

// The targets dispatched to: compiled for this architecture and present in the CPU. Highway counts
// a better target as a lower bit.
std::vector<std::int64_t> present_targets() {
    std::vector<std::int64_t> found;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) found.push_back(target);
    // What every CPU can run is dispatched to where Highway finds nothing: it takes an Arm CPU
    // without instructions for AES for one without NEON.
    if (found.empty()) found.push_back(HWY_STATIC_TARGET);
    return found;
}

}  // namespace

std::vector<std::string> supported_targets() {
    reset_target();
    std::vector<std::string> names;
    for (const std::int64_t target : present_targets()) names.push_back(hwy::TargetName(target));
    return names;
}

bool force_target(const std::string& name) {
    reset_target();
    for (const std::int64_t target : present_targets()) {
        if (name == hwy::TargetName(target)) {
            hwy::SetSupportedTargetsForTest(target);
            return true;
        }
    }
    return false;
}

void force_lesser_cpu() {
    constexpr std::int64_t every_vector_target = HWY_EMU128 - 1;
    hwy::SetSupportedTargetsForTest(every_vector_target & ~HWY_TARGETS);
}

void reset_target() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace ricci::kernels
