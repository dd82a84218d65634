// The table of the kernels of log-sum-exp in Highway for every SIMD target. The including file
// defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_LOGSUMEXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LOGSUMEXP_INL_H
#undef RICCI_KERNELS_LOGSUMEXP_INL_H
#else
#define RICCI_KERNELS_LOGSUMEXP_INL_H
#endif

#include <hwy/highway.h>

#include "src/kernels/algebra/logsumexp-lines-inl.h"
#include "src/kernels/algebra/logsumexp-shift-inl.h"
#include "src/kernels/algebra/logsumexp.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

const logsumexp_table<element_type>* target_logsumexp_table() {
    static const logsumexp_table<element_type> table = [] {
        logsumexp_table<element_type> made;
        made.target = hwy::TargetName(HWY_TARGET);
        made.lanes = lane_count;
        made.line = &logsumexp_line;
        made.along = &logsumexp_along;
        made.shift_along = &shift_along;
        made.shift_across = &shift_across;
        made.finish = &finish;
        made.listed = &logsumexp_listed;
        return made;
    }();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
