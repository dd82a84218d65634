// The way to the kernels of RICCI_LINEAR_TYPE from outside: to those of the best target that the
// processor has. Behind linear-inl.h, once a file of kernels.
#pragma once

namespace ricci::kernels {
namespace {

HWY_EXPORT(linear_target_table);

}  // namespace

template <>
const linear_table<RICCI_LINEAR_TYPE>& linear_kernels<RICCI_LINEAR_TYPE>() {
    return *HWY_DYNAMIC_DISPATCH(linear_target_table)();
}

}  // namespace ricci::kernels
