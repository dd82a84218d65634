// The register machine for bodies in double, compiled for every SIMD target.
#define RICCI_BODY_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/bodies/bodies_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/bodies/bodies-inl.h"

#if HWY_ONCE
namespace ricci::kernels {
namespace {

HWY_EXPORT(target_machine);

}  // namespace

template <>
const body_table<double>& body_machine<double>() {
    return *HWY_DYNAMIC_DISPATCH(target_machine)();
}

}  // namespace ricci::kernels
#endif
