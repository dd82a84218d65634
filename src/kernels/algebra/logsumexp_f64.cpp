// The double kernels of products over (logsumexp, +), compiled for every SIMD target.
#define RICCI_ALGEBRA_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/algebra/logsumexp_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/algebra/logsumexp-inl.h"

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_logsumexp_table);

}  // namespace

template <>
const logsumexp_table<double>& logsumexp_kernels<double>() {
    return *HWY_DYNAMIC_DISPATCH(target_logsumexp_table)();
}

}  // namespace ricci::kernels

#endif
