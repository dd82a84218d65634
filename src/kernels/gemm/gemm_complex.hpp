// The kernels of a contraction of complex numbers, with either operand conjugated while it is
// packed.
#pragma once

#include <complex>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::kernels {

/// The kernels of the best SIMD target of this CPU; `a` and `b`: that operand is conjugated.
/// T: std::complex<float>, std::complex<double>. A packed panel of A holds the numbers as they are,
/// one of B real and imaginary parts apart: for every k and vector of columns first the real parts.
template <class T>
const kernel_table<T>& complex_gemm_kernels(bool a, bool b);

/// The same as plain loops.
template <class T>
const kernel_table<T>& scalar_complex_gemm_kernels(bool a, bool b);

template <>
const kernel_table<std::complex<float>>& complex_gemm_kernels<std::complex<float>>(bool, bool);
template <>
const kernel_table<std::complex<double>>& complex_gemm_kernels<std::complex<double>>(bool, bool);
template <>
const kernel_table<std::complex<float>>& scalar_complex_gemm_kernels<std::complex<float>>(bool,
                                                                                          bool);
template <>
const kernel_table<std::complex<double>>& scalar_complex_gemm_kernels<std::complex<double>>(bool,
                                                                                            bool);

}  // namespace ricci::kernels
