// The kernels of a contraction of std::complex<float>, compiled for every SIMD target.
#define RICCI_GEMM_PART float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/gemm/gemm_c64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-complex-inl.h"

#if HWY_ONCE
#include "src/kernels/gemm/gemm-complex-dispatch-inl.h"
#endif
