// The way to the kernels of extrema of RICCI_ALGEBRA_TYPE from outside: to those of the best target
// that the processor has. Behind extrema-inl.h, once a file of kernels.
#pragma once

namespace ricci::kernels {
namespace {

HWY_EXPORT(target_maximum_table);
HWY_EXPORT(target_minimum_table);

}  // namespace

template <>
const extremum_table<RICCI_ALGEBRA_TYPE>& maximum_kernels<RICCI_ALGEBRA_TYPE>() {
    return *HWY_DYNAMIC_DISPATCH(target_maximum_table)();
}

template <>
const extremum_table<RICCI_ALGEBRA_TYPE>& minimum_kernels<RICCI_ALGEBRA_TYPE>() {
    return *HWY_DYNAMIC_DISPATCH(target_minimum_table)();
}

}  // namespace ricci::kernels
