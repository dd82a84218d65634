// The double kernels of fused groups, compiled for every SIMD target.
#define RICCI_FUSED_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/fused/fused_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/fused/fused-inl.h"

#if HWY_ONCE
#include "src/kernels/fused/fused-dispatch-inl.h"
#endif
