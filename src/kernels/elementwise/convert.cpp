// The conversions between 16-bit floating-point types and float, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/elementwise/convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

const convert_table<bf16>* convert_bf16() {
    static constexpr convert_table<bf16> table = make_convert_table<bf16>();
    return &table;
}

const convert_table<f16>* convert_f16() {
    static constexpr convert_table<f16> table = make_convert_table<f16>();
    return &table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ricci::kernels {

HWY_EXPORT(convert_bf16);
HWY_EXPORT(convert_f16);

template <>
const convert_table<bf16>& conversions<bf16>() {
    return *HWY_DYNAMIC_DISPATCH(convert_bf16)();
}

template <>
const convert_table<f16>& conversions<f16>() {
    return *HWY_DYNAMIC_DISPATCH(convert_f16)();
}

}  // namespace ricci::kernels
#endif
