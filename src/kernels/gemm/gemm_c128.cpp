// The kernels of a contraction of std::complex<double>, compiled for every SIMD target.
#define RICCI_GEMM_PART double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_c128.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-complex-inl.h"

#if HWY_ONCE

#include "src/kernels/scalar/gemm_scalar_complex.hpp"

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_table);

}  // namespace

template <>
const kernel_table<std::complex<double>>& complex_gemm_kernels<std::complex<double>>(bool a,
                                                                                     bool b) {
    return *HWY_DYNAMIC_DISPATCH(target_table)(a, b);
}

template <>
const kernel_table<std::complex<double>>& scalar_complex_gemm_kernels<std::complex<double>>(
    bool a, bool b) {
    return scalar_complex_table<double>(a, b);
}

}  // namespace ricci::kernels

#endif
