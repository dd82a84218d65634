// The 32-bit whole-number kernels of a contraction, compiled for every SIMD target.
#include <cstdint>

#define RICCI_GEMM_TYPE std::uint32_t

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_u32.cpp"
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
const kernel_table<std::uint32_t>& gemm_kernels<std::uint32_t>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const kernel_table<std::uint32_t>& scalar_gemm_kernels<std::uint32_t>() {
    static const kernel_table<std::uint32_t> table = make_scalar_table<std::uint32_t>();
    return table;
}

}  // namespace ricci::kernels

#endif
