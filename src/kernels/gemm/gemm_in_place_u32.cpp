// The kernels of 32-bit whole numbers that do not pack A, compiled for every SIMD target.
#include <cstdint>

#define RICCI_GEMM_TYPE std::uint32_t

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_in_place_u32.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-in-place-inl.h"
