// The kernels of a contraction whose operands are stored as bf16 or f16 and computed with in float.
#pragma once

#include <ricci/half.hpp>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::kernels {

/// The float kernels of the best SIMD target of this CPU, between conversions. S: bf16, f16.
template <class S>
const kernel_table<float, S>& narrow_gemm_kernels();

/// The same as plain loops.
template <class S>
const kernel_table<float, S>& scalar_narrow_gemm_kernels();

template <>
const kernel_table<float, bf16>& narrow_gemm_kernels<bf16>();
template <>
const kernel_table<float, f16>& narrow_gemm_kernels<f16>();
template <>
const kernel_table<float, bf16>& scalar_narrow_gemm_kernels<bf16>();
template <>
const kernel_table<float, f16>& scalar_narrow_gemm_kernels<f16>();

}  // namespace ricci::kernels
