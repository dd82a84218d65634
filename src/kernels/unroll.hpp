// Unrolling of loops over arrays of vectors: such an array is kept in registers only when every
// loop over it is unrolled whole, which compilers do not do by themselves at -O2.
#pragma once

#ifdef __clang__
#define RICCI_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RICCI_UNROLL _Pragma("GCC unroll 16")
#endif

// After the parameters of a lambda that such arrays are captured in: it is inlined at every call.
#define RICCI_INLINE_LAMBDA __attribute__((always_inline))
