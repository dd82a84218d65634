// Packing of a vector of columns that lie in a few pieces, at steps of one element or of two: as
// the places of a convolution do, whose rows end within a vector.
#if defined(RICCI_KERNELS_GEMM_PACK_PIECES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_PACK_PIECES_INL_H
#undef RICCI_KERNELS_GEMM_PACK_PIECES_INL_H
#else
#define RICCI_KERNELS_GEMM_PACK_PIECES_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether such vectors are packed here: masked loads leave alone what is between the pieces.
template <class T>
inline constexpr bool packs_pieces =
    loads_masked<T>&& HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE;

inline constexpr int most_pieces = 4;

/// The pieces of a vector: lanes [end of the one before, end) of one lie `step` elements apart,
/// where lane 0 would be at `line`. No pieces: there are too many, or other steps.
template <class T>
struct column_pieces {
    int count = 0;
    int step = 1;
    int end[most_pieces] = {};
    const T* line[most_pieces] = {};
};

/// Finds the pieces of the first `width` lines.
template <class T>
HWY_INLINE column_pieces<T> find_pieces(const pack_source<T>& from, int width) {
    column_pieces<T> found;
    // A piece of a single line fits any step.
    for (int x = 1; x < width; ++x) {
        const std::int64_t step = from.across[x] - from.across[x - 1];
        if (step != 1 && step != 2) continue;
        found.step = static_cast<int>(step);
        break;
    }
    for (int x = 0; x < width;) {
        if (found.count == most_pieces) {
            found.count = 0;
            return found;
        }
        int end = x + 1;
        while (end < width && from.across[end] - from.across[end - 1] == found.step) ++end;
        found.line[found.count] = from.origin + from.across[x] - x * found.step;
        found.end[found.count++] = end;
        x = end;
    }
    return found;
}

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// Lanes [first, end), of which those below 0 and past the vector do not count.
template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D d, int first, int end) {
    constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    const auto up_to = [&](int x) HWY_ATTR {
        return hn::FirstN(d, static_cast<std::size_t>(HWY_MAX(0, HWY_MIN(x, lanes))));
    };
    return hn::AndNot(up_to(first), up_to(end));
}

/// Packs them: lanes past the last piece are zeros.
template <int count, int step, class D, class T>
HWY_INLINE void pack_pieces(D d, const column_pieces<T>& pieces, const pack_source<T>& from, T* to,
                            std::int64_t to_step) {
    constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    hn::Mask<D> low[count], high[step == 2 ? count : 1];
    for (int p = 0, first = 0; p < count; first = pieces.end[p++]) {
        const int end = step * (pieces.end[p] - 1) + 1;
        low[p] = lanes_between(d, step * first, end);
        if constexpr (step == 2) high[p] = lanes_between(d, step * first - lanes, end - lanes);
    }
    for (std::int64_t k = 0; k < from.depth; ++k) {
        auto all = hn::Zero(d);
        RICCI_UNROLL
        for (int p = 0; p < count; ++p) {
            const T* const line = pieces.line[p] + from.along[k];
            auto part = hn::MaskedLoad(low[p], d, line);
            if constexpr (step == 2)
                part = hn::ConcatEven(d, hn::MaskedLoad(high[p], d, line + lanes), part);
            all = p == 0 ? part : hn::Or(all, part);
        }
        hn::StoreU(all, d, to + k * to_step);
    }
}

/// The same for as many as there are; nothing is written where there are none.
template <int step, class D, class T>
HWY_INLINE void pack_all_pieces(D d, const column_pieces<T>& pieces, const pack_source<T>& from,
                                T* to, std::int64_t to_step) {
    switch (pieces.count) {
        case 1:
            pack_pieces<1, step>(d, pieces, from, to, to_step);
            break;
        case 2:
            pack_pieces<2, step>(d, pieces, from, to, to_step);
            break;
        case 3:
            pack_pieces<3, step>(d, pieces, from, to, to_step);
            break;
        case 4:
            pack_pieces<4, step>(d, pieces, from, to, to_step);
            break;
        default:
            break;
    }
}

#endif

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
