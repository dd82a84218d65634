// Extrema of tiles with their places, in Highway. The including file defines RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_PLACES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_PLACES_INL_H
#undef RICCI_KERNELS_FUSED_PLACES_INL_H
#else
#define RICCI_KERNELS_FUSED_PLACES_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/fused/fused-product-inl.h"
#include "src/kernels/fused/fused.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

using steps::monoid;
using place_number = lane_place<number>;
using place_tag = hn::RebindToSigned<tag>;
using places = hn::Vec<place_tag>;

/// Whether y is beyond x; NaN is beyond all numbers.
template <monoid by>
HWY_INLINE hn::Mask<tag> is_beyond(vector x, vector y) {
    const auto within = by == monoid::maximum ? hn::Le(y, x) : hn::Ge(y, x);
    return hn::Not(hn::Or(within, hn::IsNaN(x)));
}

/// An extremum in a register, and where it stands.
template <monoid by>
struct placed {
    vector value;
    places at;

    HWY_INLINE void choose(hn::Mask<tag> other, vector x, places place) {
        value = hn::IfThenElse(other, x, value);
        at = hn::IfThenElse(hn::RebindMask(place_tag(), other), place, at);
    }
    /// What stands behind all that is there.
    HWY_INLINE void take(vector x, places place) { choose(is_beyond<by>(value, x), x, place); }
    /// What stands anywhere.
    HWY_INLINE void join(vector x, places place) {
        const tag d;
        const auto equal = hn::Or(hn::Eq(x, value), hn::And(hn::IsNaN(x), hn::IsNaN(value)));
        const auto before = hn::RebindMask(d, hn::Lt(place, at));
        choose(hn::Or(is_beyond<by>(value, x), hn::And(equal, before)), x, place);
    }
    HWY_INLINE void join_and_store(number* state, place_number* place) {
        const tag d;
        const place_tag d_place;
        join(hn::LoadU(d, state), hn::LoadU(d_place, place));
        hn::StoreU(value, d, state);
        hn::StoreU(at, d_place, place);
    }
};

template <monoid by>
void place_rows(number* value, place_number* place, const number* tile, std::int64_t step,
                std::int64_t rows, std::size_t n, std::int64_t first) {
    const tag d;
    const place_tag d_place;
    if (rows == 0) return;
    const places two = hn::Set(d_place, 2);
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        const number* from = tile + x;
        places here = hn::Set(d_place, static_cast<place_number>(first));
        placed<by> even{hn::LoadU(d, from), here};
        if (rows > 1) {
            // Two at a time: each waits for the one before it.
            places next = hn::Add(here, hn::Set(d_place, 1));
            placed<by> odd{hn::LoadU(d, from + step), next};
            std::int64_t r = 2;
            for (from += 2 * step; r + 2 <= rows; r += 2, from += 2 * step) {
                here = hn::Add(here, two);
                next = hn::Add(next, two);
                even.take(hn::LoadU(d, from), here);
                odd.take(hn::LoadU(d, from + step), next);
            }
            if (r < rows) even.take(hn::LoadU(d, from), hn::Add(here, two));
            even.join(odd.value, odd.at);
        }
        even.join_and_store(value + x, place + x);
    }
}

template <monoid by>
void place_lanes(number* value, place_number* place, const number* tile, std::int64_t step,
                 std::int64_t rows, std::int64_t vectors, std::int64_t first) {
    const tag d;
    const place_tag d_place;
    const places begin = hn::Iota(d_place, static_cast<place_number>(first));
    const places lanes = hn::Set(d_place, static_cast<place_number>(lane_count));
    for (std::int64_t r = 0; r < rows;
         ++r, tile += step, value += lane_count, place += lane_count) {
        places here = begin;
        placed<by> all{hn::LoadU(d, tile), here};
        for (std::int64_t v = 1; v < vectors; ++v) {
            here = hn::Add(here, lanes);
            all.take(hn::LoadU(d, tile + v * lane_count), here);
        }
        all.join_and_store(value, place);
    }
}

template <monoid by>
void add_places(fused_table<number>& table) {
    table.place_rows[static_cast<std::size_t>(by)] = &place_rows<by>;
    table.place_lanes[static_cast<std::size_t>(by)] = &place_lanes<by>;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
