// The kernels of a contraction of std::complex<double>, compiled for every SIMD target.
#define RICCI_GEMM_PART double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_c128.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-complex-inl.h"

#if HWY_ONCE
#include "src/kernels/gemm/gemm-complex-dispatch-inl.h"
#endif
