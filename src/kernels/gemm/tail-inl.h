// Reading and writing the first few lanes of a vector without touching memory behind them.

#if defined(RICCI_KERNELS_TAIL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_TAIL_INL_H
#undef RICCI_KERNELS_TAIL_INL_H
#else
#define RICCI_KERNELS_TAIL_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether a masked load leaves alone what it does not load. Highway promises this of AVX-512 and
/// SVE, as AVX2 has no such instruction for bytes and pairs of them; it has one for four and eight.
template <class T>
inline constexpr bool loads_masked =
    !HWY_MEM_OPS_MIGHT_FAULT ||
    (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4 && !HWY_IS_ASAN && !HWY_IS_MSAN);

/// The n < Lanes(d) numbers at p, then zeros.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_first(D d, const T* p, std::size_t n) {
    if constexpr (loads_masked<T>) {
        return hn::MaskedLoad(hn::FirstN(d, n), d, p);
    } else {
        // A masked load may read all lanes here: go through a buffer of exactly the right bytes.
        HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)] = {};
        std::memcpy(buffer, p, n * sizeof(T));
        return hn::Load(d, buffer);
    }
}

/// Writes the first n < Lanes(d) lanes of v to p.
template <class D, class T>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* p, std::size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, buffer);
    std::memcpy(p, buffer, n * sizeof(T));
#else
    hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#endif
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
