// The kernels of 64-bit whole numbers that do not pack A, compiled for every SIMD target.
#include <cstdint>

#define RICCI_GEMM_TYPE std::uint64_t

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_in_place_u64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-in-place-inl.h"
