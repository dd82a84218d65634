// Reductions: along a row of unit stride to one number, and over many rows to one number a column.

#if defined(RICCI_KERNELS_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_ROWS_INL_H
#undef RICCI_KERNELS_ROWS_INL_H
#else
#define RICCI_KERNELS_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <limits>

#include "src/kernels/prefetch.hpp"
#include "src/kernels/elementwise/elementwise-inl.h"
#include "src/kernels/unroll.hpp"
#include "src/kernels/elementwise/permute-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/elementwise/sums-inl.h"
#include "src/kernels/elementwise/terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Extreme of a row. NaN is looked for in a second accumulator, as Max and Min drop it.
template <bool Largest, class T>
T extreme_row(const T* a, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    constexpr T none =
        Largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    const V start = hn::Set(d, none);
    V s0 = start, s1 = start, s2 = start, s3 = start;
    auto missing = hn::IsNaN(start);
    const auto join = [](V x, V y) HWY_ATTR {
        if constexpr (Largest) return hn::Max(x, y);
        else return hn::Min(x, y);
    };
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        const V x0 = hn::LoadU(d, a + i), x1 = hn::LoadU(d, a + i + lanes);
        const V x2 = hn::LoadU(d, a + i + 2 * lanes), x3 = hn::LoadU(d, a + i + 3 * lanes);
        missing = hn::Or(missing, hn::Or(hn::Or(hn::IsNaN(x0), hn::IsNaN(x1)),
                                         hn::Or(hn::IsNaN(x2), hn::IsNaN(x3))));
        s0 = join(s0, x0);
        s1 = join(s1, x1);
        s2 = join(s2, x2);
        s3 = join(s3, x3);
    }
    for (; i + lanes <= n; i += lanes) {
        const V x = hn::LoadU(d, a + i);
        missing = hn::Or(missing, hn::IsNaN(x));
        s0 = join(s0, x);
    }
    if (i < n) {
        const V x = hn::IfThenElse(hn::FirstN(d, n - i), load_first(d, a + i, n - i), start);
        missing = hn::Or(missing, hn::IsNaN(x));
        s1 = join(s1, x);
    }
    if (!hn::AllFalse(d, missing)) return std::numeric_limits<T>::quiet_NaN();
    const V extreme = join(join(s0, s1), join(s2, s3));
#if HWY_TARGET == HWY_EMU128
    // Highway's own reduction starts from the largest finite number there and loses an infinity.
    HWY_ALIGN T each[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(extreme, d, each);
    T best = each[0];
    for (std::size_t k = 1; k < lanes; ++k)
        best = (Largest ? each[k] > best : each[k] < best) ? each[k] : best;
    return best;
#else
    if constexpr (Largest) return hn::GetLane(hn::MaxOfLanes(d, extreme));
    else return hn::GetLane(hn::MinOfLanes(d, extreme));
#endif
}

template <bool Store, class T>
T exp_sum_row(T* out, const T* a, std::size_t n, T shift) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const stored<V> s = hn::Set(d, shift);
    const V total = fold_row(
        d, hn::Zero(d), n,
        [=](std::size_t i) HWY_ATTR {
            const V e = exponential_of_nonpositive(d, hn::Sub(hn::LoadU(d, a + i), s));
            if constexpr (Store) hn::StoreU(e, d, out + i);
            return e;
        },
        [=](std::size_t i, std::size_t rest) HWY_ATTR {
            const V e = exponential_of_nonpositive(d, hn::Sub(load_first(d, a + i, rest), s));
            if constexpr (Store) store_first(e, d, out + i, rest);
            return hn::IfThenElseZero(hn::FirstN(d, rest), e);
        },
        [](V x, V y) HWY_ATTR { return hn::Add(x, y); });
    return hn::GetLane(hn::SumOfLanes(d, total));
}

template <class T>
T exp_sum(const T* a, std::size_t n, T shift) {
    return exp_sum_row<false, T>(nullptr, a, n, shift);
}

template <class T>
void exp_scale(T* out, const T* a, std::size_t n, T shift, T scale) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    const V s = hn::Set(d, shift), factor = hn::Set(d, scale);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        hn::StoreU(hn::Mul(exponential_of_nonpositive(d, hn::Sub(hn::LoadU(d, a + i), s)), factor),
                   d, out + i);
    }
    if (i == n) return;
    const V x = load_first(d, a + i, n - i);
    store_first(hn::Mul(exponential_of_nonpositive(d, hn::Sub(x, s)), factor), d, out + i, n - i);
}

/// Calls body(i, load, store) for the vectors of columns [0, n); the last one may be short.
template <class D, class Body>
HWY_INLINE void for_columns(D d, std::size_t n, Body body) {
    using T = hn::TFromD<D>;
    using V = hn::Vec<D>;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        body(
            i, [=](const T* p) HWY_ATTR { return hn::LoadU(d, p); },
            [=](V v, T* p) HWY_ATTR { hn::StoreU(v, d, p); });
    }
    if (i < n) {
        const std::size_t rest = n - i;
        body(
            i, [=](const T* p) HWY_ATTR { return load_first(d, p, rest); },
            [=](V v, T* p) HWY_ATTR { store_first(v, d, p, rest); });
    }
}

// join(row, row + stride, ...) of so many rows, as a tree: fewer roundings one after another.
template <int rows, class D, class T, class Join>
HWY_INLINE hn::Vec<D> joined_rows(D d, const T* row, std::ptrdiff_t stride, Join join) {
    if constexpr (rows == 1) return hn::LoadU(d, row);
    else
        return join(joined_rows<rows / 2>(d, row, stride, join),
                    joined_rows<rows / 2>(d, row + rows / 2 * stride, stride, join));
}

// acc = join(acc, row) for any number of rows, with four vectors of columns in registers.
template <class T, class Join>
HWY_INLINE void join_any_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                              std::size_t n, Join join) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        V s0 = hn::LoadU(d, acc + i), s1 = hn::LoadU(d, acc + i + lanes);
        V s2 = hn::LoadU(d, acc + i + 2 * lanes), s3 = hn::LoadU(d, acc + i + 3 * lanes);
        const T* row = a + i;
        for (std::size_t r = 0; r < rows; ++r, row += stride) {
            s0 = join(s0, hn::LoadU(d, row));
            s1 = join(s1, hn::LoadU(d, row + lanes));
            s2 = join(s2, hn::LoadU(d, row + 2 * lanes));
            s3 = join(s3, hn::LoadU(d, row + 3 * lanes));
        }
        hn::StoreU(s0, d, acc + i);
        hn::StoreU(s1, d, acc + i + lanes);
        hn::StoreU(s2, d, acc + i + 2 * lanes);
        hn::StoreU(s3, d, acc + i + 3 * lanes);
    }
    for_columns(d, n - i, [=](std::size_t at, auto load, auto store) HWY_ATTR {
        const T* column = a + i + at;
        V s = load(acc + i + at);
        for (std::size_t r = 0; r < rows; ++r)
            s = join(s, load(column + static_cast<std::ptrdiff_t>(r) * stride));
        store(s, acc + i + at);
    });
}

// The same for a number of rows that the compiler knows, four vectors of columns at a time; where
// it asks, memory is asked for the same columns of as many rows that follow.
template <int rows, bool asks, class T, class Join>
HWY_INLINE void join_few_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t n, Join join) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        const T* const row = a + i;
        if constexpr (asks) {
            for (int r = 0; r < rows; ++r)
                ask_for(row + (rows + r) * stride, static_cast<std::int64_t>(4 * lanes));
        }
        for (std::size_t v = 0; v < 4; ++v) {
            T* const to = acc + i + v * lanes;
            hn::StoreU(join(hn::LoadU(d, to), joined_rows<rows>(d, row + v * lanes, stride, join)),
                       d, to);
        }
    }
    if (i < n) join_any_rows(acc + i, a + i, stride, rows, n - i, join);
}

/// acc = join(acc, row) for every row. Parts of longer rows are taken eight at a time, and the next
/// eight asked for: no processor guesses where they begin. Whole rows go on where the last one
/// ends, which it does guess; many are taken from four places at once, as memory delivers more from
/// pages apart than from one.
template <class T, class Join>
HWY_INLINE void join_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                          std::size_t n, Join join) {
    constexpr int abreast = 8, places = 4;
    const bool long_rows = n * sizeof(T) >= 256;
    if (long_rows && stride != static_cast<std::ptrdiff_t>(n)) {
        for (; rows >= abreast; rows -= abreast, a += abreast * stride)
            join_few_rows<abreast, true>(acc, a, stride, n, join);
    } else if (long_rows) {
        const std::size_t quarter = rows / places;
        const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(quarter) * stride;
        for (std::size_t r = 0; r < quarter; ++r, a += stride)
            join_few_rows<places, false>(acc, a, apart, n, join);
        a += (places - 1) * apart;
        rows -= places * quarter;
    }
    if (rows > 0) join_any_rows(acc, a, stride, rows, n, join);
}

template <class T>
void add_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return hn::Add(x, y); });
}

template <class T>
void spread(T* to, const T* from, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < rows; ++r, from += stride, to += n) {
        const auto value = hn::Set(d, *from);
        std::size_t x = 0;
        for (; x + lanes <= n; x += lanes) hn::StoreU(value, d, to + x);
        for (; x < n; ++x) to[x] = *from;
    }
}

template <class T>
void maximum_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return larger(x, y); });
}

template <class T>
void minimum_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return smaller(x, y); });
}

template <bool Store, class T>
HWY_INLINE void exp_rows(T* acc, T* out, std::ptrdiff_t out_stride, const T* a,
                         std::ptrdiff_t stride, const T* shift, std::size_t rows, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    // Rows outermost: whole rows of the tile are written one after another.
    for (std::size_t r = 0; r < rows; ++r) {
        const T* row = a + static_cast<std::ptrdiff_t>(r) * stride;
        T* to = Store ? out + static_cast<std::ptrdiff_t>(r) * out_stride : nullptr;
        for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
            const V e = exponential_of_nonpositive(d, hn::Sub(load(row + i), load(shift + i)));
            if constexpr (Store) store(e, to + i);
            store(hn::Add(load(acc + i), e), acc + i);
        });
    }
}

template <class T>
void exp_add_rows(T* acc, const T* a, std::ptrdiff_t stride, const T* shift, std::size_t rows,
                  std::size_t n) {
    exp_rows<false, T>(acc, nullptr, 0, a, stride, shift, rows, n);
}

template <class T>
void exp_store_rows(T* acc, T* out, std::ptrdiff_t out_stride, const T* a, std::ptrdiff_t stride,
                    const T* shift, std::size_t rows, std::size_t n) {
    exp_rows<true, T>(acc, out, out_stride, a, stride, shift, rows, n);
}

template <class T>
void scale_rows(T* out, std::ptrdiff_t stride, const T* scale, std::size_t rows, std::size_t n) {
    const hn::ScalableTag<T> d;
    for (std::size_t r = 0; r < rows; ++r) {
        T* row = out + static_cast<std::ptrdiff_t>(r) * stride;
        for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
            store(hn::Mul(load(row + i), load(scale + i)), row + i);
        });
    }
}

template <class T>
void add_compensated(T* sum, T* rest, const T* x, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V s = load(sum + i), y = load(x + i);
        const V total = hn::Add(s, y);
        const V part = hn::Sub(total, s);
        const V error = hn::Add(hn::Sub(s, hn::Sub(total, part)), hn::Sub(y, part));
        store(total, sum + i);
        // An infinite sum has no rounding error, only infinity - infinity.
        const V finite = hn::IfThenElse(hn::IsNaN(error), hn::Zero(d), error);
        store(hn::Add(load(rest + i), finite), rest + i);
    });
}

template <class T>
void finite_shift(T* shift, const T* maximum, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const stored<V> infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V m = load(maximum + i);
        store(hn::IfThenElse(hn::Eq(hn::Abs(m), infinity), hn::Zero(d), m), shift + i);
    });
}

template <class T>
void masked_shift(T* shift, const T* maximum, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const stored<V> masked = hn::Set(d, -std::numeric_limits<T>::infinity());
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V m = load(maximum + i);
        store(hn::IfThenElse(hn::Eq(m, masked), hn::Zero(d), m), shift + i);
    });
}

template <class T>
void rescale(T* sum, const T* before, const T* shift, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V s = load(sum + i);
        const V scaled = hn::Mul(s, exponential(d, hn::Sub(load(before + i), load(shift + i))));
        store(hn::IfThenElse(hn::Eq(s, hn::Zero(d)), s, scaled), sum + i);
    });
}

template <class T>
void reciprocal_or_zero(T* out, const T* a, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V x = load(a + i);
        const V y = hn::Div(hn::Set(d, T(1)), x);
        store(hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y), out + i);
    });
}

template <class T>
void count_up(T* out, T start, T step, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const V by = hn::Set(d, step * static_cast<T>(hn::Lanes(d)));
    V x = hn::MulAdd(hn::Iota(d, T(0)), hn::Set(d, step), hn::Set(d, start));
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        hn::StoreU(x, d, out + i);
        x = hn::Add(x, by);
    }
    if (i < n) store_first(x, d, out + i, n - i);
}

template <class T>
constexpr elementwise_table<T> make_elementwise_table() {
    elementwise_table<T> table{};
    table.lanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
    set_operations_of_folds(table);
    table.count_up = count_up<T>;
    table.transpose = transpose_near<T>;
    table.spread = spread<T>;
    table.transpose_past = transpose_past<T>;
    table.transpose_listed_past = transpose_listed_past<T>;
    table.copy_past = copy_past<T>;
    table.copy_runs_past = copy_runs_past<T>;
    table.end_streams = [] { hwy::FlushStream(); };
    table.sum_terms = sum_terms<T>;
    table.sum = sum_row<T>;
    table.sum_of_rows = sum_of_rows<T>;
    table.add_runs = add_runs<T>;
    table.sums_of_products = sums_of_products<T>;
    table.maximum = extreme_row<true, T>;
    table.minimum = extreme_row<false, T>;
    table.exp_sum = exp_sum<T>;
    table.exp_store_sum = exp_sum_row<true, T>;
    table.exp_scale = exp_scale<T>;
    table.add_rows = add_rows<T>;
    table.maximum_rows = maximum_rows<T>;
    table.minimum_rows = minimum_rows<T>;
    table.exp_add_rows = exp_add_rows<T>;
    table.exp_store_rows = exp_store_rows<T>;
    table.scale_rows = scale_rows<T>;
    table.add_compensated = add_compensated<T>;
    table.finite_shift = finite_shift<T>;
    table.masked_shift = masked_shift<T>;
    table.rescale = rescale<T>;
    table.reciprocal_or_zero = reciprocal_or_zero<T>;
    return table;
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
