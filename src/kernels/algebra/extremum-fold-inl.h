// What maximum and minimum are of vectors and of numbers: without a look at NaN, and with NaN
// winning over everything. The including file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_EXTREMUM_FOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_EXTREMUM_FOLD_INL_H
#undef RICCI_KERNELS_EXTREMUM_FOLD_INL_H
#else
#define RICCI_KERNELS_EXTREMUM_FOLD_INL_H
#endif

#include <limits>

#include <hwy/highway.h>

#include "src/kernels/algebra/strided-load-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// An instruction of x86 takes its second operand where one of the two is NaN.
#if HWY_ARCH_X86
constexpr bool takes_second = HWY_TARGET <= HWY_SSSE3;
#else
constexpr bool takes_second = false;
#endif

struct maximum_fold {
    static constexpr element_type none = -std::numeric_limits<element_type>::infinity();
    template <class V>
    static HWY_INLINE V join(V x, V best) {
        return hn::Max(x, best);
    }
    template <class V>
    static HWY_INLINE auto is_better(V x, V best) {
        return hn::Gt(x, best);
    }
    static bool is_better_number(element_type x, element_type best) { return x > best; }
};

struct minimum_fold {
    static constexpr element_type none = std::numeric_limits<element_type>::infinity();
    template <class V>
    static HWY_INLINE V join(V x, V best) {
        return hn::Min(x, best);
    }
    template <class V>
    static HWY_INLINE auto is_better(V x, V best) {
        return hn::Lt(x, best);
    }
    static bool is_better_number(element_type x, element_type best) { return x < best; }
};

/// The extremum of both, NaN where one of them is.
template <class Fold, class V>
HWY_INLINE V join_all(V x, V best) {
    const V joined = hn::IfThenElse(hn::IsNaN(x), x, Fold::join(x, best));
    if constexpr (takes_second) return joined;
    else return hn::IfThenElse(hn::IsNaN(best), best, joined);
}

/// Whether x takes the place of `best`, which came before: it is better, or the first NaN.
template <class Fold>
bool takes_over(element_type x, element_type best) {
    return Fold::is_better_number(x, best) || (x != x && best == best);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
