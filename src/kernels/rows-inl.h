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

#include "src/kernels/elementwise-inl.h"
#include "src/kernels/permute-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Folds f(0), f(1), ... of a row into `start`: four accumulators, then their fixed tree. `load`
/// makes the vector of lanes [i, i + lanes), `load_rest` the last, padded with what `join` ignores.
template <class D, class V, class Load, class LoadRest, class Join>
HWY_INLINE V fold_row(D d, V start, std::size_t n, Load load, LoadRest load_rest, Join join) {
    const std::size_t lanes = hn::Lanes(d);
    V s0 = start, s1 = start, s2 = start, s3 = start;
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        s0 = join(s0, load(i));
        s1 = join(s1, load(i + lanes));
        s2 = join(s2, load(i + 2 * lanes));
        s3 = join(s3, load(i + 3 * lanes));
    }
    for (; i + lanes <= n; i += lanes) s0 = join(s0, load(i));
    if (i < n) s1 = join(s1, load_rest(i, n - i));
    return join(join(s0, s1), join(s2, s3));
}

template <class T>
T sum_row(const T* a, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const V total = fold_row(
        d, hn::Zero(d), n, [=](std::size_t i) HWY_ATTR { return hn::LoadU(d, a + i); },
        [=](std::size_t i, std::size_t rest) HWY_ATTR { return load_first(d, a + i, rest); },
        [](V x, V y) HWY_ATTR { return hn::Add(x, y); });
    return hn::GetLane(hn::SumOfLanes(d, total));
}

#if HWY_TARGET != HWY_SCALAR

// The sum of a vector's blocks of 128 bits.
template <class V>
HWY_INLINE auto sum_of_blocks(V x) {
    const hn::DFromV<V> d;
    if constexpr (hn::MaxLanes(hn::DFromV<V>()) * sizeof(hn::TFromV<V>) <= 16) {
        return x;
    } else {
        const hn::Half<decltype(d)> half;
        return sum_of_blocks(hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
    }
}

// The sums of the lanes of four vectors, in this order.
HWY_INLINE void store_sums_of_lanes(const hn::Vec<hn::ScalableTag<float>> (&x)[4], float* to) {
    const hn::ScalableTag<float> d;
    const hn::RepartitionToWide<decltype(d)> pairs;
    const auto join = [=](auto a, auto b) HWY_ATTR {
        return hn::BitCast(pairs,
                           hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
    };
    const auto low = join(x[0], x[1]), high = join(x[2], x[3]);
    // Every block holds sums of its own lanes.
    const auto blocks = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, low, high)),
                                hn::BitCast(d, hn::InterleaveUpper(pairs, low, high)));
    hn::StoreU(sum_of_blocks(blocks), hn::Full128<float>(), to);
}
HWY_INLINE void store_sums_of_lanes(const hn::Vec<hn::ScalableTag<double>> (&x)[4], double* to) {
    const hn::ScalableTag<double> d;
    for (int pair = 0; pair < 2; ++pair) {
        const auto a = x[2 * pair], b = x[2 * pair + 1];
        const auto blocks = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
        hn::StoreU(sum_of_blocks(blocks), hn::Full128<double>(), to + 2 * pair);
    }
}

// Two accumulators each, of which SSE4 and AVX2 have registers for no more.
template <class T>
HWY_INLINE void sum_four_rows(T* sums, const T* a, std::ptrdiff_t stride, std::size_t n,
                              std::ptrdiff_t next) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    constexpr std::size_t step = HWY_MAX(2 * lanes, 64 / sizeof(T));
    V sum[4][2];
    RICCI_UNROLL
    for (int r = 0; r < 4; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
    std::size_t i = 0;
    for (; i + step <= n; i += step) {
        RICCI_UNROLL
        for (int r = 0; r < 4; ++r) {
            const T* const row = a + r * stride + static_cast<std::ptrdiff_t>(i);
            for (std::size_t line = 0; line < step; line += 64 / sizeof(T))
                hwy::Prefetch(row + next + line);
            for (std::size_t v = 0; v < step; v += 2 * lanes) {
                sum[r][0] = hn::Add(sum[r][0], hn::LoadU(d, row + v));
                sum[r][1] = hn::Add(sum[r][1], hn::LoadU(d, row + v + lanes));
            }
        }
    }
    for (; i < n; i += lanes) {
        RICCI_UNROLL
        for (int r = 0; r < 4; ++r) {
            const T* const row = a + r * stride + static_cast<std::ptrdiff_t>(i);
            const V x = i + lanes <= n ? hn::LoadU(d, row) : load_first(d, row, n - i);
            sum[r][0] = hn::Add(sum[r][0], x);
        }
    }
    V total[4];
    RICCI_UNROLL
    for (int r = 0; r < 4; ++r) total[r] = hn::Add(sum[r][0], sum[r][1]);
    store_sums_of_lanes(total, sums);
}

#endif

template <class T>
void sum_of_rows(T* sums, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n,
                 [[maybe_unused]] std::ptrdiff_t next) {
    std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; r + 4 <= rows; r += 4)
        sum_four_rows(sums + r, a + static_cast<std::ptrdiff_t>(r) * stride, stride, n, next);
#endif
    for (; r < rows; ++r) sums[r] = sum_row(a + static_cast<std::ptrdiff_t>(r) * stride, n);
}

template <int count, class T>
HWY_INLINE void sum_products(T* sums, const T* const* a, const T* const* b, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    V sum[count][4];
    RICCI_UNROLL
    for (int k = 0; k < count; ++k) {
        RICCI_UNROLL
        for (int v = 0; v < 4; ++v) sum[k][v] = hn::Zero(d);
    }
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        RICCI_UNROLL
        for (int k = 0; k < count; ++k) {
            RICCI_UNROLL
            for (int v = 0; v < 4; ++v) {
                const std::size_t at = i + static_cast<std::size_t>(v) * lanes;
                sum[k][v] = hn::MulAdd(hn::LoadU(d, a[k] + at), hn::LoadU(d, b[k] + at), sum[k][v]);
            }
        }
    }
    for (; i < n; i += lanes) {
        RICCI_UNROLL
        for (int k = 0; k < count; ++k) {
            const bool whole = i + lanes <= n;
            const V x = whole ? hn::LoadU(d, a[k] + i) : load_first(d, a[k] + i, n - i);
            const V y = whole ? hn::LoadU(d, b[k] + i) : load_first(d, b[k] + i, n - i);
            sum[k][0] = hn::MulAdd(x, y, sum[k][0]);
        }
    }
    RICCI_UNROLL
    for (int k = 0; k < count; ++k) {
        const V total = hn::Add(hn::Add(sum[k][0], sum[k][1]), hn::Add(sum[k][2], sum[k][3]));
        sums[k] = hn::GetLane(hn::SumOfLanes(d, total));
    }
}

template <class T>
void sums_of_products(T* sums, const T* const* a, const T* const* b, int count, std::size_t n) {
    if (count == 2) sum_products<2>(sums, a, b, n);
    else sum_products<1>(sums, a, b, n);
}

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
    const V s = hn::Set(d, shift);
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

// Four vectors of columns at a time stay in registers.
template <class T, class Join>
HWY_INLINE void join_few_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                              std::size_t n, Join join) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        V s0 = hn::LoadU(d, acc + i), s1 = hn::LoadU(d, acc + i + lanes);
        V s2 = hn::LoadU(d, acc + i + 2 * lanes), s3 = hn::LoadU(d, acc + i + 3 * lanes);
        for (std::size_t r = 0; r < rows; ++r) {
            const T* row = a + static_cast<std::ptrdiff_t>(r) * stride + i;
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
        for (std::size_t r = 0; r < rows; ++r) {
            s = join(s, load(column + static_cast<std::ptrdiff_t>(r) * stride));
        }
        store(s, acc + i + at);
    });
}

/// acc = join(acc, row) for every row. Of long rows a few are walked side by side: the hardware
/// follows no more of them.
template <class T, class Join>
HWY_INLINE void join_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows,
                          std::size_t n, Join join) {
    const std::size_t most = n * sizeof(T) < 1024 ? rows : 8;
    for (std::size_t r = 0; r < rows; r += most) {
        join_few_rows(acc, a + static_cast<std::ptrdiff_t>(r) * stride, stride,
                      HWY_MIN(most, rows - r), n, join);
    }
}

template <class T>
void add_rows(T* acc, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    using V = hn::Vec<hn::ScalableTag<T>>;
    join_rows(acc, a, stride, rows, n, [](V x, V y) HWY_ATTR { return hn::Add(x, y); });
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
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    for_columns(d, n, [=](std::size_t i, auto load, auto store) HWY_ATTR {
        const V m = load(maximum + i);
        store(hn::IfThenElse(hn::Eq(hn::Abs(m), infinity), hn::Zero(d), m), shift + i);
    });
}

template <class T>
void masked_shift(T* shift, const T* maximum, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const V masked = hn::Set(d, -std::numeric_limits<T>::infinity());
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
    set_operations(table);
    table.count_up = count_up<T>;
    table.transpose = transpose_near<T>;
    table.transpose_past = transpose_past<T>;
    table.copy_past = copy_past<T>;
    table.end_streams = [] { hwy::FlushStream(); };
    table.sum = sum_row<T>;
    table.sum_of_rows = sum_of_rows<T>;
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
