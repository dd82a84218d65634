// The double table of element-wise and reduction kernels, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/elementwise/elementwise_f64.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

const elementwise_table<double>* elementwise_f64() {
    static constexpr elementwise_table<double> table = make_elementwise_table<double>();
    return &table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ricci::kernels {

HWY_EXPORT(elementwise_f64);

template <>
const elementwise_table<double>& elementwise<double>() {
    return *HWY_DYNAMIC_DISPATCH(elementwise_f64)();
}

}  // namespace ricci::kernels
#endif
