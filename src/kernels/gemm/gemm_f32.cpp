// The float kernels of a contraction, compiled for every SIMD target.
#define RICCI_GEMM_TYPE float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_f32.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-inl.h"

#if HWY_ONCE

#include "src/kernels/scalar/gemm_scalar.hpp"

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_table);

}  // namespace

template <>
const kernel_table<float>& gemm_kernels<float>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const kernel_table<float>& scalar_gemm_kernels<float>() {
    static const kernel_table<float> table = make_scalar_table<float>();
    return table;
}

}  // namespace ricci::kernels

#endif
