// Sums of rows of unit stride, and of products of two: of one row, and of a few side by side.

#if defined(RICCI_KERNELS_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_SUMS_INL_H
#undef RICCI_KERNELS_SUMS_INL_H
#else
#define RICCI_KERNELS_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "src/kernels/elementwise/elementwise-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/gemm/sums-of-lanes-inl.h"
#include "src/kernels/gemm/transpose-inl.h"
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

// The sums of four rows, `stride` elements apart. Two accumulators each, of which SSE4 and AVX2
// have registers for no more.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void sum_four_rows(D d, T (&sums)[4], const T* a, std::ptrdiff_t stride, std::size_t n) {
    using V = hn::Vec<D>;
    constexpr std::size_t lanes = hn::MaxLanes(D());
    stored<V> sum[4][2];
    RICCI_UNROLL
    for (int r = 0; r < 4; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
    std::size_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        RICCI_UNROLL
        for (int r = 0; r < 4; ++r) {
            const T* const row = a + r * stride + static_cast<std::ptrdiff_t>(i);
            sum[r][0] = hn::Add(sum[r][0], hn::LoadU(d, row));
            sum[r][1] = hn::Add(sum[r][1], hn::LoadU(d, row + lanes));
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
    stored<V> total[4];
    RICCI_UNROLL
    for (int r = 0; r < 4; ++r) total[r] = hn::Add(sum[r][0], sum[r][1]);
    store_sums_of_lanes(d, total, sums);
}

#endif

template <class T>
void sum_of_rows(T* sums, const T* a, std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
    std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
    // Of four places at once: memory delivers more from pages apart than from one.
    const std::size_t quarter = rows / 4;
    const auto apart = static_cast<std::ptrdiff_t>(quarter) * stride;
    for (; r < quarter; ++r) {
        T four[4];
        sum_four_rows(hn::ScalableTag<T>(), four, a + static_cast<std::ptrdiff_t>(r) * stride,
                      apart, n);
        for (std::size_t k = 0; k < 4; ++k) sums[r + k * quarter] = four[k];
    }
    r *= 4;
#endif
    for (; r < rows; ++r) sums[r] = sum_row(a + static_cast<std::ptrdiff_t>(r) * stride, n);
}

#if HWY_TARGET != HWY_SCALAR

// to[x] += the sum of the run at from + x * step, for as many as a vector has lanes. A run that is
// shorter than a block is read with what follows it.
template <class T>
HWY_INLINE void add_vector_of_runs(T* to, const T* from, std::ptrdiff_t step, std::size_t run) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    constexpr std::size_t block = lanes_of_block<T>;
    const T* lines[lanes];
    for (std::size_t x = 0; x < lanes; ++x) lines[x] = from + static_cast<std::ptrdiff_t>(x) * step;
    V sum = hn::LoadU(d, to);
    std::size_t b = 0;
    for (; b + block <= run; b += block) {
        stored<V> column[block];
        load_transposed(d, lines, static_cast<std::int64_t>(b), column);
        RICCI_UNROLL
        for (std::size_t x = 0; x < block; ++x) sum = hn::Add(sum, column[x]);
    }
    if (b < run) {
        // The last block overlaps the one before.
        const std::size_t first = run < block ? 0 : run - block;
        stored<V> column[block];
        load_transposed(d, lines, static_cast<std::int64_t>(first), column);
        RICCI_UNROLL
        for (std::size_t x = 0; x < block; ++x) {
            if (first + x >= b && first + x < run) sum = hn::Add(sum, column[x]);
        }
    }
    hn::StoreU(sum, d, to);
}

#endif

#if HWY_TARGET != HWY_SCALAR

// to[j] += the sum of run j, for j < n as far as there are vectors of them; returns how far. The
// runs are blocks that lie side by side, and are read in order: that is faster than from several
// places, near by and far away.
template <class T>
HWY_INLINE std::size_t add_blocks(T* to, const T* from, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    constexpr std::size_t block = lanes_of_block<T>, runs = lanes / block;
    using number = hn::TFromD<hn::RebindToSigned<decltype(d)>>;
    HWY_ALIGN number order_of_runs[lanes];
    for (std::size_t x = 0; x < lanes; ++x)
        order_of_runs[x] = static_cast<number>(x % runs * block + x / runs);
    const auto order = hn::SetTableIndices(d, order_of_runs);
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) {
        stored<V> x[block];
        RICCI_UNROLL
        for (std::size_t k = 0; k < block; ++k) x[k] = hn::LoadU(d, from + j * block + k * lanes);
        const V sums = hn::TableLookupLanes(sums_of_blocks(d, x), order);
        hn::StoreU(hn::Add(hn::LoadU(d, to + j), sums), d, to + j);
    }
    return j;
}

// The same of runs of any length, `step` elements apart.
template <class T>
HWY_INLINE std::size_t add_vectors_of_runs(T* to, const T* from, std::ptrdiff_t step,
                                           std::size_t run, std::size_t n) {
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    const auto add = [=](std::size_t at) HWY_ATTR {
        add_vector_of_runs(to + at, from + static_cast<std::ptrdiff_t>(at) * step, step, run);
    };
    // Of the last runs, a block may end behind all of them.
    constexpr std::size_t block = lanes_of_block<T>;
    const auto apart = static_cast<std::size_t>(step);
    const std::size_t beyond = run < block ? (block - run + apart - 1) / apart : 0;
    const std::size_t readable = n - HWY_MIN(n, beyond);
    const std::size_t quarter = readable / (4 * lanes) * lanes;
    std::size_t j = 0;
    for (; j < quarter; j += lanes) {
        for (std::size_t place = 0; place < 4; ++place) add(j + place * quarter);
    }
    for (j = 4 * quarter; j + lanes <= readable; j += lanes) add(j);
    return j;
}

#endif

template <class T>
void add_runs(T* to, const T* from, std::ptrdiff_t step, std::size_t run, std::size_t n) {
    std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::size_t block = lanes_of_block<T>;
    if (run == block && step == static_cast<std::ptrdiff_t>(block)) j = add_blocks(to, from, n);
    else j = add_vectors_of_runs(to, from, step, run, n);
#endif
    for (; j < n; ++j) {
        const T* const first = from + static_cast<std::ptrdiff_t>(j) * step;
        for (std::size_t i = 0; i < run; ++i) to[j] += first[i];
    }
}

template <int count, class T>
HWY_INLINE void sum_products(T* sums, const T* const* a, const T* const* b, std::size_t n) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    stored<V> sum[count][4];
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

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
