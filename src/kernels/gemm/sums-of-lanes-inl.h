// Sums of the lanes of several vectors at once: fewer steps than those of one after another.
#if defined(RICCI_KERNELS_SUMS_OF_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_SUMS_OF_LANES_INL_H
#undef RICCI_KERNELS_SUMS_OF_LANES_INL_H
#else
#define RICCI_KERNELS_SUMS_OF_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/gemm/transpose-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// The sum of a vector's blocks of 128 bits.
template <class D>
HWY_INLINE hn::Vec<hn::Full128<hn::TFromD<D>>> sum_of_blocks(D, hn::Vec<D> x) {
    if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) <= 16) {
        return x;
    } else {
        const hn::CappedTag<hn::TFromD<D>, hn::MaxLanes(D()) / 2> half;
        return sum_of_blocks(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
    }
}

// As many vectors as a block has lanes: lane x of a block of the result is the sum of this block of
// vector x.
template <class D>
HWY_INLINE hn::Vec<D> sums_of_blocks(D d, const stored<hn::Vec<D>>* x) {
    using V = hn::Vec<D>;
    const auto join = [=](V a, V b) HWY_ATTR {
        return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    };
    if constexpr (lanes_of_block<hn::TFromD<D>> == 2) {
        return join(x[0], x[1]);
    } else {
        const hn::RepartitionToWide<D> pairs;
        const auto low = hn::BitCast(pairs, join(x[0], x[1]));
        const auto high = hn::BitCast(pairs, join(x[2], x[3]));
        return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, low, high)),
                       hn::BitCast(d, hn::InterleaveUpper(pairs, low, high)));
    }
}

// The sums of the lanes of so many vectors.
template <int count, class D>
HWY_INLINE void store_sums_of_lanes(D d, const stored<hn::Vec<D>> (&x)[count],
                                    hn::TFromD<D>* sums) {
    using T = hn::TFromD<D>;
    constexpr int block = lanes_of_block<T>;
    static_assert(count % block == 0);
    RICCI_UNROLL
    for (int r = 0; r < count; r += block)
        hn::StoreU(sum_of_blocks(d, sums_of_blocks(d, x + r)), hn::Full128<T>(), sums + r);
}

#endif

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
