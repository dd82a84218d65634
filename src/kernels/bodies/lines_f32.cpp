// The register machine for lines in float, compiled for every SIMD target.
#define RICCI_BODY_TYPE float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/bodies/lines_f32.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/bodies/lines-inl.h"

#if HWY_ONCE
namespace ricci::kernels {
namespace {

HWY_EXPORT(target_lines);

}  // namespace

template <>
const line_table<float>& line_machine<float>() {
    return *HWY_DYNAMIC_DISPATCH(target_lines)();
}

}  // namespace ricci::kernels
#endif
