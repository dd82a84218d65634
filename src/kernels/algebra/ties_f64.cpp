// The double kernels of sums over ties, compiled for every SIMD target.
#define RICCI_ALGEBRA_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/algebra/ties_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/algebra/ties-inl.h"

#if HWY_ONCE
namespace ricci::kernels {
namespace {

HWY_EXPORT(target_tie_table);

}  // namespace

template <>
const tie_table<double>& tie_kernels<double>() {
    return *HWY_DYNAMIC_DISPATCH(target_tie_table)();
}

}  // namespace ricci::kernels
#endif
