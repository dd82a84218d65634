// The element-wise and reduction kernels of std::complex<double>, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/elementwise/elementwise_c128.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

const elementwise_table<std::complex<double>>* elementwise_c128() {
    static constexpr elementwise_table<std::complex<double>> table = make_complex_table<double>();
    return &table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ricci::kernels {

HWY_EXPORT(elementwise_c128);

template <>
const elementwise_table<std::complex<double>>& elementwise<std::complex<double>>() {
    return *HWY_DYNAMIC_DISPATCH(elementwise_c128)();
}

}  // namespace ricci::kernels
#endif
