// Folds of the register machine: what takes a block up. The including file defines
// RICCI_BODY_TYPE.
#if defined(RICCI_KERNELS_BODY_FOLDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_BODY_FOLDS_INL_H
#undef RICCI_KERNELS_BODY_FOLDS_INL_H
#else
#define RICCI_KERNELS_BODY_FOLDS_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <hwy/highway.h>

#include "src/kernels/bodies/body-block-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr bool is_largest(body_fold what) {
    return what == body_fold::larger || what == body_fold::first_larger ||
           what == body_fold::larger_ties;
}
constexpr bool is_extremum(body_fold what) {
    return what == body_fold::larger || what == body_fold::smaller || finds_first(what) ||
           counts_ties(what);
}
constexpr bool has_factor(body_fold what) { return what >= body_fold::add_times_rows; }

/// A state and what is joined to it. NaN stays.
template <body_fold what>
HWY_INLINE vector joined(vector state, vector a, vector x) {
    if constexpr (what == body_fold::multiply) return hn::Mul(state, a);
    else if constexpr (is_extremum(what))
        return is_largest(what) ? larger(state, a) : smaller(state, a);
    else if constexpr (has_factor(what)) return hn::MulAdd(a, x, state);
    else return hn::Add(state, a);
}

/// Of values of which none is NaN; a state that is NaN stays.
template <body_fold what>
HWY_INLINE vector joined_numbers(vector state, vector a) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    // The second one where either is NaN.
    return is_largest(what) ? hn::Max(a, state) : hn::Min(a, state);
#else
    return joined<what>(state, a, a);
#endif
}

/// The block's vectors for row vector w, from `first` on, as one.
template <body_fold what, int first, int columns>
HWY_INLINE vector tree(const stored<vector> (&a)[block_vectors], int w) {
    if constexpr (columns == 1) {
        return a[first * row_vectors + w];
    } else {
        const vector x = tree<what, first, columns / 2>(a, w);
        const vector y = tree<what, first + columns / 2, columns - columns / 2>(a, w);
        if constexpr (what == body_fold::multiply) return hn::Mul(x, y);
        else if constexpr (is_extremum(what))
            return is_largest(what) ? hn::Max(x, y) : hn::Min(x, y);
        else return hn::Add(x, y);
    }
}

/// Whether there may be NaN in a block.
HWY_INLINE bool may_have_nan(const stored<vector> (&a)[block_vectors]) {
    const vector sum = hn::Add(tree<body_fold::add, 0, block_columns>(a, 0),
                               tree<body_fold::add, 0, block_columns>(a, 1));
    return HWY_UNLIKELY(!hn::AllFalse(tag(), hn::IsNaN(sum)));
}

/// Sums of exponentials have the largest value so far in front. Where nothing has been seen, any
/// finite number will do.
HWY_INLINE vector finite_largest(vector largest) {
    const tag d;
    const vector nothing = hn::Set(d, -std::numeric_limits<number>::infinity());
    return hn::IfThenElse(hn::Eq(largest, nothing), hn::Zero(d), largest);
}

/// Raises the largest value, and gives the sum that goes with it.
HWY_INLINE vector raised(vector sum, vector before, vector now) {
    const tag d;
    const vector nothing = hn::Set(d, -std::numeric_limits<number>::infinity());
    return hn::IfThenElse(hn::Eq(before, nothing), hn::Zero(d),
                          hn::Mul(sum, exponential(tag(), hn::Sub(before, now))));
}

/// Joins a value.
HWY_INLINE void join_exponential(vector& largest, vector& sum, vector a) {
    const tag d;
    const vector now = hn::Max(a, largest);
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(now, largest)))) sum = raised(sum, largest, now);
    largest = now;
    sum = hn::Add(sum, exponential(tag(), hn::Sub(a, finite_largest(now))));
}

HWY_INLINE void fold_exponentials(const stored<vector> (&a)[block_vectors], number* state) {
    const tag d;
    RICCI_UNROLL
    for (int w = 0; w < row_vectors; ++w) {
        number* const at = state + w * lane_count;
        const vector before = hn::Load(d, at);
        const vector now = hn::Max(tree<body_fold::larger, 0, block_columns>(a, w), before);
        vector sum = hn::Load(d, at + row_elements);
        if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(now, before)))) {
            sum = raised(sum, before, now);
            hn::Store(now, d, at);
        }
        const vector shift = finite_largest(now);
        vector all = exponential(tag(), hn::Sub(vector(a[w]), shift));
        RICCI_UNROLL
        for (int c = 1; c < block_columns; ++c)
            all = hn::Add(all, exponential(tag(), hn::Sub(vector(a[c * row_vectors + w]), shift)));
        hn::Store(hn::Add(sum, all), d, at + row_elements);
    }
}

/// An extremum, and its number or count. NaN takes the place of all numbers, of none of NaN.
template <body_fold what>
HWY_INLINE void join_beside(vector& best, vector& beside, vector a, vector x) {
    const tag d;
    const auto better = hn::Or(is_largest(what) ? hn::Gt(a, best) : hn::Lt(a, best),
                               hn::And(hn::IsNaN(a), hn::Not(hn::IsNaN(best))));
    if constexpr (finds_first(what)) {
        beside = hn::IfThenElse(better, x, beside);
    } else {
        const vector one = hn::Set(d, number(1));
        const vector more = hn::Add(beside, hn::IfThenElseZero(hn::Eq(a, best), one));
        beside = hn::IfThenElse(better, hn::IfThenElseZero(hn::Eq(a, a), one), more);
    }
    best = hn::IfThenElse(better, a, best);
}

/// The same of what the columns of a block have together, where none is NaN: no column waits for
/// the one before it.
template <body_fold what>
HWY_INLINE void join_columns_beside(vector& best, vector& beside,
                                    const stored<vector> (&a)[block_vectors],
                                    const stored<vector> (&x)[block_vectors], int w) {
    const tag d;
    const vector all = tree<what, 0, block_columns>(a, w);
    const auto better = is_largest(what) ? hn::Gt(all, best) : hn::Lt(all, best);
    if constexpr (finds_first(what)) {
        vector found = x[(block_columns - 1) * row_vectors + w];
        RICCI_UNROLL
        for (int k = 1; k < block_columns; ++k) {
            const int u = (block_columns - 1 - k) * row_vectors + w;  // the first one comes last
            found = hn::IfThenElse(hn::Eq(vector(a[u]), all), vector(x[u]), found);
        }
        beside = hn::IfThenElse(better, found, beside);
    } else {
        const vector one = hn::Set(d, number(1));
        vector count = hn::Zero(d);
        RICCI_UNROLL
        for (int c = 0; c < block_columns; ++c) {
            const vector value = a[c * row_vectors + w];
            count = hn::Add(count, hn::IfThenElseZero(hn::Eq(value, all), one));
        }
        const vector more = hn::Add(beside, hn::IfThenElseZero(hn::Eq(all, best), count));
        beside = hn::IfThenElse(better, count, more);
    }
    best = joined_numbers<what>(best, all);
}

/// Folds with two numbers, over columns: `apart` from one to the other.
template <body_fold what>
HWY_INLINE void fold_columns_beside(const stored<vector> (&a)[block_vectors],
                                    const stored<vector> (&x)[block_vectors], number* state,
                                    std::int64_t apart, bool numbers) {
    const tag d;
    const bool slow = !numbers && may_have_nan(a);
    RICCI_UNROLL
    for (int w = 0; w < row_vectors; ++w) {
        number* const at = state + w * lane_count;
        vector best = hn::Load(d, at), beside = hn::Load(d, at + apart);
        if (slow) {
            for (int c = 0; c < block_columns; ++c)
                join_beside<what>(best, beside, a[c * row_vectors + w], x[c * row_vectors + w]);
        } else {
            join_columns_beside<what>(best, beside, a, x, w);
        }
        hn::Store(best, d, at);
        hn::Store(beside, d, at + apart);
    }
}

template <body_fold what>
HWY_INLINE void fold_rows_beside(const stored<vector> (&a)[block_vectors],
                                 const stored<vector> (&x)[block_vectors], number* state,
                                 std::int64_t apart) {
    const tag d;
    RICCI_UNROLL
    for (int c = 0; c < block_columns; ++c) {
        number* const at = state + c * lane_count;
        vector best = hn::Load(d, at), beside = hn::Load(d, at + apart);
        RICCI_UNROLL
        for (int w = 0; w < row_vectors; ++w)
            join_beside<what>(best, beside, a[c * row_vectors + w], x[c * row_vectors + w]);
        hn::Store(best, d, at);
        hn::Store(beside, d, at + apart);
    }
}

template <body_fold what>
HWY_INLINE void fold_columns(const stored<vector> (&a)[block_vectors],
                             const stored<vector> (&x)[block_vectors], number* state,
                             [[maybe_unused]] bool numbers) {
    const tag d;
    const bool slow = is_extremum(what) && !numbers && may_have_nan(a);
    RICCI_UNROLL
    for (int w = 0; w < row_vectors; ++w) {
        vector s = hn::Load(d, state + w * lane_count);
        if constexpr (has_factor(what)) {
            // Two chains: half of the columns are added up beside the state.
            if constexpr (block_columns == 1) {
                s = joined<what>(s, a[w], x[w]);
            } else {
                vector other = hn::Mul(a[row_vectors + w], x[row_vectors + w]);
                s = joined<what>(s, a[w], x[w]);
                RICCI_UNROLL
                for (int c = 2; c < block_columns; c += 2) {
                    const int even = c * row_vectors + w, odd = even + row_vectors;
                    s = joined<what>(s, a[even], x[even]);
                    other = joined<what>(other, a[odd], x[odd]);
                }
                s = hn::Add(s, other);
            }
        } else if constexpr (is_extremum(what)) {
            if (slow) {
                for (int c = 0; c < block_columns; ++c)
                    s = joined<what>(s, a[c * row_vectors + w], s);
            } else {
                s = joined_numbers<what>(s, tree<what, 0, block_columns>(a, w));
            }
        } else {
            const vector all = tree<what, 0, block_columns>(a, w);
            s = joined<what>(s, all, all);
        }
        hn::Store(s, d, state + w * lane_count);
    }
}

template <body_fold what>
HWY_INLINE void fold_rows(const stored<vector> (&a)[block_vectors],
                          const stored<vector> (&x)[block_vectors], number* state,
                          [[maybe_unused]] bool numbers) {
    const tag d;
    const bool slow = is_extremum(what) && !numbers && may_have_nan(a);
    RICCI_UNROLL
    for (int c = 0; c < block_columns; ++c) {
        vector s = hn::Load(d, state + c * lane_count);
        RICCI_UNROLL
        for (int w = 0; w < row_vectors; ++w) {
            const int u = c * row_vectors + w;
            if (is_extremum(what) && !slow) s = joined_numbers<what>(s, a[u]);
            else s = joined<what>(s, a[u], x[u]);
        }
        hn::Store(s, d, state + c * lane_count);
    }
}

/// A few columns of a block, and of its rows, where that says so, only the lanes of a mask.
template <body_fold what>
HWY_NOINLINE void fold_at_edge(const number* a, const number* x, number* state,
                               [[maybe_unused]] std::int64_t apart, const number* mask, bool rows,
                               std::int64_t columns) {
    const tag d;
    for (std::int64_t c = 0; c < columns; ++c)
        for (int w = 0; w < row_vectors; ++w) {
            const std::int64_t u = (c * row_vectors + w) * lane_count;
            number* const to = state + (rows ? c : w) * lane_count;
            if constexpr (what == body_fold::exponentials) {
                vector largest = hn::Load(d, to), sum = hn::Load(d, to + row_elements);
                join_exponential(largest, sum, hn::Load(d, a + u));
                hn::Store(largest, d, to);
                hn::Store(sum, d, to + row_elements);
                continue;
            }
            const vector s = hn::Load(d, to);
            if constexpr (finds_first(what) || counts_ties(what)) {
                const auto counts = is_true(d, hn::Load(d, mask + w * lane_count));
                const vector before = hn::Load(d, to + apart);
                vector best = s, beside = before;
                join_beside<what>(best, beside, hn::Load(d, a + u), hn::Load(d, x + u));
                hn::Store(rows ? hn::IfThenElse(counts, best, s) : best, d, to);
                hn::Store(rows ? hn::IfThenElse(counts, beside, before) : beside, d, to + apart);
                continue;
            }
            vector all = joined<what>(s, hn::Load(d, a + u), hn::Load(d, x + u));
            if (rows) all = hn::IfThenElse(is_true(d, hn::Load(d, mask + w * lane_count)), all, s);
            hn::Store(all, d, to);
        }
}

template <body_fold what, bool of_rows, int... u>
HWY_INLINE void find_factors(const body_instruction& i, const number* frame, std::int64_t j,
                             stored<vector> (&x)[block_vectors], std::integer_sequence<int, u...>) {
    constexpr bool pairs = what >= body_fold::add_times;
    constexpr bool of_columns =
        what == body_fold::add_times_columns || (finds_first(what) && !of_rows);
    constexpr body_place place = of_columns                           ? body_place::columns
                                 : what == body_fold::add_times_block ? body_place::block
                                                                      : body_place::rows;
    const argument<place> first(frame, i.y, j);
    if constexpr (pairs) {
        const argument<body_place::columns> second(frame, i.z, j);
        constexpr auto difference =
            what == body_fold::add_times ? body_pair::difference : body_pair::other_difference;
        ((x[u] = difference == body_pair::difference
                     ? hn::Sub(second.template get<u>(), first.template get<u>())
                     : hn::Sub(first.template get<u>(), second.template get<u>())),
         ...);
    } else {
        ((x[u] = first.template get<u>()), ...);
    }
}

template <body_fold what, bool of_rows, bool at_edge>
HWY_INLINE void fold_block(const stored<vector> (&a)[block_vectors], const body_instruction& i,
                           number* frame, std::int64_t j, std::int64_t count) {
    number* const state = frame + (i.x & ~body_numbers) + (of_rows ? j * lane_count : 0);
    [[maybe_unused]] const bool numbers = (i.x & body_numbers) != 0;
    stored<vector> x[block_vectors];
    if constexpr (has_factor(what) || finds_first(what)) {
        find_factors<what, of_rows>(i, frame, j, x,
                                    std::make_integer_sequence<int, block_vectors>());
    } else {
        RICCI_UNROLL
        for (int u = 0; u < block_vectors; ++u) x[u] = a[u];
    }
    if constexpr (at_edge) {
        const tag d;
        HWY_ALIGN number values[block_elements];
        HWY_ALIGN number factors[block_elements];
        RICCI_UNROLL
        for (int u = 0; u < block_vectors; ++u) {
            hn::Store(vector(a[u]), d, values + u * lane_count);
            hn::Store(vector(x[u]), d, factors + u * lane_count);
        }
        fold_at_edge<what>(values, factors, state, i.z, frame, of_rows,
                           std::min<std::int64_t>(block_columns, count - j));
    } else if constexpr (what == body_fold::exponentials) {
        fold_exponentials(a, state);
    } else if constexpr (finds_first(what) || counts_ties(what)) {
        if constexpr (of_rows) fold_rows_beside<what>(a, x, state, i.z);
        else fold_columns_beside<what>(a, x, state, i.z, numbers);
    } else if constexpr (of_rows) {
        fold_rows<what>(a, x, state, numbers);
    } else {
        fold_columns<what>(a, x, state, numbers);
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
