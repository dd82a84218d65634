// The tables of element-wise and reduction kernels of whole numbers, compiled for every SIMD
// target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/elementwise/elementwise_whole.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/kernels/elementwise/whole-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

const elementwise_table<std::int32_t>* elementwise_i32() {
    static constexpr elementwise_table<std::int32_t> table = make_whole_table<std::int32_t>();
    return &table;
}

const elementwise_table<std::int64_t>* elementwise_i64() {
    static constexpr elementwise_table<std::int64_t> table = make_whole_table<std::int64_t>();
    return &table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ricci::kernels {

HWY_EXPORT(elementwise_i32);
HWY_EXPORT(elementwise_i64);

template <>
const elementwise_table<std::int32_t>& elementwise<std::int32_t>() {
    return *HWY_DYNAMIC_DISPATCH(elementwise_i32)();
}

template <>
const elementwise_table<std::int64_t>& elementwise<std::int64_t>() {
    return *HWY_DYNAMIC_DISPATCH(elementwise_i64)();
}

}  // namespace ricci::kernels
#endif
