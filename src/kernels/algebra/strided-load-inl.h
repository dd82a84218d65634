// Vectors of elements at any distance, and of fewer than fill one. The including file defines
// RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_STRIDED_LOAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_STRIDED_LOAD_INL_H
#undef RICCI_KERNELS_STRIDED_LOAD_INL_H
#else
#define RICCI_KERNELS_STRIDED_LOAD_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hwy/highway.h>

#include "src/kernels/gemm/tail-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using element_type = RICCI_ALGEBRA_TYPE;
using full_tag = hn::ScalableTag<element_type>;
constexpr int lane_count = static_cast<int>(HWY_LANES(element_type));

/// How far elements of neighbouring lanes are apart.
enum class spacing { same, adjacent, any };

inline spacing spacing_of(std::int64_t step) {
    return step == 0 ? spacing::same : step == 1 ? spacing::adjacent : spacing::any;
}

/// Lane x < count holds p[x * step]; those behind hold numbers that are there.
template <spacing how, bool whole>
HWY_INLINE hn::Vec<full_tag> load_lanes(const element_type* p, std::int64_t step,
                                        [[maybe_unused]] int count) {
    const full_tag d;
    if constexpr (how == spacing::same) {
        return hn::Set(d, *p);
    } else if constexpr (how == spacing::adjacent) {
        if constexpr (whole) return hn::LoadU(d, p);
        else return load_first(d, p, static_cast<std::size_t>(count));
    } else {
        HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)] = {};
        const int end = whole ? lane_count : count;
        for (int x = 0; x < end; ++x) lanes[x] = p[x * step];
        return hn::Load(d, lanes);
    }
}

// What is not a whole vector of neighbours is read and written out of line: it is rare, and would
// stand in the kernels as often as they have registers.

HWY_NOINLINE void store_apart(hn::Vec<full_tag> v, element_type* p, std::int64_t step, int count) {
    const full_tag d;
    if (step == 1) {
        store_first(v, d, p, static_cast<std::size_t>(count));
        return;
    }
    HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)] = {};
    hn::Store(v, d, lanes);
    for (int x = 0; x < count; ++x) p[x * step] = lanes[x];
}

HWY_NOINLINE hn::Vec<full_tag> load_apart(const element_type* p, std::int64_t step, int count) {
    if (step != 1) return load_lanes<spacing::any, false>(p, step, count);
    return load_lanes<spacing::adjacent, false>(p, step, count);
}

/// Lane x < count goes to p[x * step].
HWY_INLINE void store_lanes(hn::Vec<full_tag> v, element_type* p, std::int64_t step, int count) {
    if (HWY_LIKELY(step == 1 && count == lane_count)) hn::StoreU(v, full_tag(), p);
    else store_apart(v, p, step, count);
}

HWY_INLINE hn::Vec<full_tag> load_any(const element_type* p, std::int64_t step, int count) {
    if (HWY_LIKELY(step == 1 && count == lane_count)) return hn::LoadU(full_tag(), p);
    return load_apart(p, step, count);
}

/// Calls go(spacing of a, spacing of b) with constants; pairs that are rare are taken for any.
template <class Go>
HWY_INLINE void with_spacings(spacing a, spacing b, Go go) {
    using adjacent = std::integral_constant<spacing, spacing::adjacent>;
    using same = std::integral_constant<spacing, spacing::same>;
    using any = std::integral_constant<spacing, spacing::any>;
    if (a == spacing::same && b == spacing::adjacent) go(same(), adjacent());
    else if (a == spacing::adjacent && b == spacing::same) go(adjacent(), same());
    else if (a == spacing::adjacent && b == spacing::adjacent) go(adjacent(), adjacent());
    else go(any(), any());
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
