// The element type of a contraction's kernels and its vectors, for every SIMD target. The including
// file defines RICCI_GEMM_TYPE.
#if defined(RICCI_KERNELS_GEMM_ELEMENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_ELEMENT_INL_H
#undef RICCI_KERNELS_GEMM_ELEMENT_INL_H
#else
#define RICCI_KERNELS_GEMM_ELEMENT_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using element_type = RICCI_GEMM_TYPE;
constexpr std::int64_t pitch = row_pitch<element_type>;

using full_tag = hn::ScalableTag<element_type>;

#if HWY_TARGET != HWY_SCALAR
constexpr int block_lanes = lanes_of_block<element_type>;
#endif
constexpr int lane_count = static_cast<int>(HWY_LANES(element_type));

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
