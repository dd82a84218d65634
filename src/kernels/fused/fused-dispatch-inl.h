// The way to the kernels of fused groups of RICCI_FUSED_TYPE from outside: to those of the best
// target that the processor has, and to plain loops. Behind fused-inl.h, once a file of kernels.
#pragma once

#include "src/kernels/scalar/fused_scalar.hpp"

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_table);

}  // namespace

template <>
const fused_table<RICCI_FUSED_TYPE>& fused_kernels<RICCI_FUSED_TYPE>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const fused_table<RICCI_FUSED_TYPE>& scalar_fused_kernels<RICCI_FUSED_TYPE>() {
    static const auto table = make_scalar_fused_table<RICCI_FUSED_TYPE>();
    return table;
}

}  // namespace ricci::kernels
