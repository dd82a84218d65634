// The float kernels of products over (logsumexp, +), compiled for every SIMD target.
#define RICCI_ALGEBRA_TYPE float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/algebra/logsumexp_f32.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/algebra/logsumexp-inl.h"

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_logsumexp_table);

}  // namespace

template <>
const logsumexp_table<float>& logsumexp_kernels<float>() {
    return *HWY_DYNAMIC_DISPATCH(target_logsumexp_table)();
}

}  // namespace ricci::kernels

#endif
