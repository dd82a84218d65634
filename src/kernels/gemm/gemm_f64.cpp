// The double kernels of a contraction, compiled for every SIMD target.
#define RICCI_GEMM_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_f64.cpp"
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
const kernel_table<double>& gemm_kernels<double>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const kernel_table<double>& scalar_gemm_kernels<double>() {
    static const kernel_table<double> table = make_scalar_table<double>();
    return table;
}

}  // namespace ricci::kernels

#endif
