// The 64-bit whole-number kernels of a contraction, compiled for every SIMD target.
#include <cstdint>

#define RICCI_GEMM_TYPE std::uint64_t

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_u64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-inl.h"

#if HWY_ONCE
#include "src/kernels/gemm/gemm-dispatch-inl.h"
#endif
