// The double kernels of fused groups, compiled for every SIMD target.
#define RICCI_STREAM_TYPE double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/fused/fused_f64.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/fused/fused-inl.h"

#if HWY_ONCE

#include "src/kernels/scalar/fused_scalar.hpp"

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_table);

}  // namespace

template <>
const fused_table<double>& fused_kernels<double>() {
    return *HWY_DYNAMIC_DISPATCH(target_table)();
}

template <>
const fused_table<double>& scalar_fused_kernels<double>() {
    static const fused_table<double> table = make_scalar_fused_table<double>();
    return table;
}

}  // namespace ricci::kernels

#endif
