// How loops over k are unrolled, which depends on the target: RICCI_UNROLL_DEPTH stands before such
// a loop.
#if defined(RICCI_KERNELS_UNROLL_DEPTH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_UNROLL_DEPTH_INL_H
#undef RICCI_KERNELS_UNROLL_DEPTH_INL_H
#else
#define RICCI_KERNELS_UNROLL_DEPTH_INL_H
#endif

#include <hwy/highway.h>

// Where a step of k is short, several are written out one after the other, by the compiler's loop
// unroller: unrolled by templates, the accumulators would wander between registers. Wide vectors do
// more in each step, and need no help.
#undef RICCI_UNROLL_DEPTH
#undef RICCI_UNROLLS_DEPTH
#if HWY_TARGET > HWY_AVX3 && !HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR
#define RICCI_UNROLLS_DEPTH 1
#ifdef __clang__
#define RICCI_UNROLL_DEPTH _Pragma("clang loop unroll_count(4)")
#else
#define RICCI_UNROLL_DEPTH _Pragma("GCC unroll 4")
#endif
#else
#define RICCI_UNROLLS_DEPTH 0
#define RICCI_UNROLL_DEPTH
#endif

#endif
