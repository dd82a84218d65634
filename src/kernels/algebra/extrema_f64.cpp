// The double kernels of products over (maximum, +) and (minimum, +), compiled for every SIMD
// target.
#define RICCI_ALGEBRA_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/algebra/extrema_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/algebra/extrema-inl.h"

#if HWY_ONCE
#include "src/kernels/algebra/extrema-dispatch-inl.h"
#endif
