// The kernels of factorisations and triangular solves of complex doubles, compiled for every SIMD
// target.
#include <complex>

#define RICCI_LINEAR_TYPE std::complex<double>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/linear/linear_c128.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/linear/linear-inl.h"

#if HWY_ONCE
#include "src/kernels/linear/linear-dispatch-inl.h"
#endif
