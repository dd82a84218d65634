// The 32-bit whole-number kernels of a contraction, compiled for every SIMD target.
#include <cstdint>

#define RICCI_GEMM_TYPE std::uint32_t

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_u32.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-inl.h"

#if HWY_ONCE
#include "src/kernels/gemm/gemm-dispatch-inl.h"
#endif
