// The element-wise and reduction kernels of std::complex<float>, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/elementwise/elementwise_c64.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

const elementwise_table<std::complex<float>>* elementwise_c64() {
    static constexpr elementwise_table<std::complex<float>> table = make_complex_table<float>();
    return &table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ricci::kernels {

HWY_EXPORT(elementwise_c64);

template <>
const elementwise_table<std::complex<float>>& elementwise<std::complex<float>>() {
    return *HWY_DYNAMIC_DISPATCH(elementwise_c64)();
}

}  // namespace ricci::kernels
#endif
