// Folds of tiles that are no sums, in Highway. The including file defines RICCI_FUSED_TYPE.
#if defined(RICCI_KERNELS_FUSED_FOLDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_FUSED_FOLDS_INL_H
#undef RICCI_KERNELS_FUSED_FOLDS_INL_H
#else
#define RICCI_KERNELS_FUSED_FOLDS_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

#include "src/kernels/fused/fused-product-inl.h"
#include "src/kernels/fused/fused.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

using steps::monoid;

// A state in a register. The larger of two is the second one when either is no number: what NaN
// there was is known apart.
template <monoid by>
struct folded {
    vector value;
    hn::Mask<tag> no_number;

    explicit HWY_INLINE folded(vector start) : value(start), no_number(hn::IsNaN(start)) {}
    HWY_INLINE void join(vector x) {
        if constexpr (by == monoid::product) {
            value = hn::Mul(value, x);
        } else {
            no_number = hn::Or(no_number, hn::IsNaN(x));
            value = by == monoid::maximum ? hn::Max(x, value) : hn::Min(x, value);
        }
    }
    HWY_INLINE vector result() const {
        if constexpr (by == monoid::product) return value;
        const tag d;
        return hn::IfThenElse(no_number, hn::Set(d, std::numeric_limits<number>::quiet_NaN()),
                              value);
    }
};

template <monoid by>
void fold_rows(number* state, const number* tile, std::int64_t step, std::int64_t rows,
               std::size_t n) {
    const tag d;
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        folded<by> even(hn::LoadU(d, state + x));
        const number* from = tile + x;
        std::int64_t r = 0;
        if (rows >= 2) {
            // Two at a time: each waits for the one before it.
            folded<by> odd(hn::LoadU(d, from));
            from += step, r = 1;
            for (; r + 2 <= rows; r += 2, from += 2 * step) {
                even.join(hn::LoadU(d, from));
                odd.join(hn::LoadU(d, from + step));
            }
            even.join(odd.result());
        }
        for (; r < rows; ++r, from += step) even.join(hn::LoadU(d, from));
        hn::StoreU(even.result(), d, state + x);
    }
}

template <monoid by>
void fold_lanes(number* state, const number* tile, std::int64_t step, std::int64_t rows,
                std::int64_t vectors) {
    const tag d;
    for (std::int64_t r = 0; r < rows; ++r, tile += step, state += lane_count) {
        folded<by> all(hn::LoadU(d, state));
        for (std::int64_t v = 0; v < vectors; ++v) all.join(hn::LoadU(d, tile + v * lane_count));
        hn::StoreU(all.result(), d, state);
    }
}

HWY_INLINE vector one_more(vector count, vector value, vector x) {
    const tag d;
    return hn::IfThenElse(hn::Eq(value, x), hn::Add(count, hn::Set(d, number(1))), count);
}

void count_rows(number* count, const number* value, const number* tile, std::int64_t step,
                std::int64_t rows, std::size_t n) {
    const tag d;
    for (std::size_t x = 0; x < n; x += static_cast<std::size_t>(lane_count)) {
        vector all = hn::LoadU(d, count + x);
        const vector wanted = hn::LoadU(d, value + x);
        const number* from = tile + x;
        for (std::int64_t r = 0; r < rows; ++r, from += step)
            all = one_more(all, wanted, hn::LoadU(d, from));
        hn::StoreU(all, d, count + x);
    }
}

void count_lanes(number* count, const number* value, const number* tile, std::int64_t step,
                 std::int64_t rows, std::int64_t vectors) {
    const tag d;
    for (std::int64_t r = 0; r < rows;
         ++r, tile += step, count += lane_count, value += lane_count) {
        vector all = hn::LoadU(d, count);
        const vector wanted = hn::LoadU(d, value);
        for (std::int64_t v = 0; v < vectors; ++v)
            all = one_more(all, wanted, hn::LoadU(d, tile + v * lane_count));
        hn::StoreU(all, d, count);
    }
}

template <monoid by>
void add_folds(fused_table<number>& table) {
    table.fold_rows[static_cast<std::size_t>(by)] = &fold_rows<by>;
    table.fold_lanes[static_cast<std::size_t>(by)] = &fold_lanes<by>;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
