// The double kernels of a contraction that do not pack A, compiled for every SIMD target.
#define RICCI_GEMM_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_in_place_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-in-place-inl.h"
