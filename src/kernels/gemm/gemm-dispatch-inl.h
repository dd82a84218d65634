// The way to the kernels of RICCI_GEMM_TYPE from outside: to those of the best target that the
// processor has, and to plain loops. Behind gemm-inl.h, once a file of kernels.
#pragma once

#include "src/kernels/scalar/gemm_scalar.hpp"

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_table);

}  // namespace

template <>
const kernel_table<RICCI_GEMM_TYPE>& gemm_kernels<RICCI_GEMM_TYPE>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const kernel_table<RICCI_GEMM_TYPE>& scalar_gemm_kernels<RICCI_GEMM_TYPE>() {
    static const kernel_table<RICCI_GEMM_TYPE> table = make_scalar_table<RICCI_GEMM_TYPE>();
    return table;
}

}  // namespace ricci::kernels
