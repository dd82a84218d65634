// The way to the kernels of complex numbers whose parts are RICCI_GEMM_PART from outside: to those
// of the best target that the processor has, and to plain loops. Behind gemm-complex-inl.h, once a
// file of kernels.
#pragma once

#include <complex>

#include "src/kernels/scalar/gemm_scalar_complex.hpp"

namespace ricci::kernels {
namespace {

using complex_element = std::complex<RICCI_GEMM_PART>;

HWY_EXPORT(target_table);

}  // namespace

template <>
const kernel_table<complex_element>& complex_gemm_kernels<complex_element>(bool a, bool b) {
    return *HWY_DYNAMIC_DISPATCH(target_table)(a, b);
}

template <>
const kernel_table<complex_element>& scalar_complex_gemm_kernels<complex_element>(bool a, bool b) {
    return scalar_complex_table<RICCI_GEMM_PART>(a, b);
}

}  // namespace ricci::kernels
