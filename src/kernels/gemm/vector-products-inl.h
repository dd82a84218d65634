// Products of which every operand is read about once: dot products, products of two lines, and sums
// of multiples of rows.
#if defined(RICCI_KERNELS_VECTOR_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_VECTOR_PRODUCTS_INL_H
#undef RICCI_KERNELS_VECTOR_PRODUCTS_INL_H
#else
#define RICCI_KERNELS_VECTOR_PRODUCTS_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/prefetch.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/gemm/sums-of-lanes-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x * y + z; whole numbers have no fused form.
template <class D>
HWY_INLINE hn::Vec<D> product_and_sum(D, hn::Vec<D> x, hn::Vec<D> y, hn::Vec<D> z) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) return hn::MulAdd(x, y, z);
    else return hn::Add(hn::Mul(x, y), z);
}

template <class T>
HWY_INLINE bool still_or_unit(const strided<T>& x) {
    return x.step == 0 || x.step == 1;
}

// Loads a vector of a unit-stride operand, or the one value of a broadcast one.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_or_broadcast(D d, const strided<T>& x, std::int64_t t) {
    return x.step == 1 ? hn::LoadU(d, x.data + t) : hn::Set(d, *x.data);
}

template <class T>
T dot(std::int64_t n, strided<T> x, strided<T> y) {
    const hn::ScalableTag<T> d;
    constexpr auto lanes = static_cast<std::int64_t>(HWY_LANES(T));
    T tail = 0;
    std::int64_t t = 0;
    auto total = hn::Zero(d);
    if (still_or_unit(x) && still_or_unit(y)) {
        auto sum0 = hn::Zero(d);
        auto sum1 = hn::Zero(d);
        auto sum2 = hn::Zero(d);
        auto sum3 = hn::Zero(d);
        const auto product = [&](std::int64_t at, hn::Vec<decltype(d)> sum) HWY_ATTR {
            return product_and_sum(d, load_or_broadcast(d, x, at), load_or_broadcast(d, y, at),
                                   sum);
        };
        for (; t + 4 * lanes <= n; t += 4 * lanes) {
            sum0 = product(t, sum0);
            sum1 = product(t + lanes, sum1);
            sum2 = product(t + 2 * lanes, sum2);
            sum3 = product(t + 3 * lanes, sum3);
        }
        for (; t + lanes <= n; t += lanes) sum0 = product(t, sum0);
        total = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    }
    for (; t < n; ++t) tail += x.data[t * x.step] * y.data[t * y.step];
    return tail + hn::GetLane(hn::SumOfLanes(d, total));
}

// dot() of a few rows at once, each summed in the same order: y is loaded for all of them.
template <int rows, class T>
HWY_INLINE void dot_few_rows(std::int64_t n, const T* a, std::int64_t a_step, const T* y, T* sums) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr auto lanes = static_cast<std::int64_t>(HWY_LANES(T));
    constexpr int vectors = 4;
    stored<V> sum[rows][vectors];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(d);
    }
    std::int64_t t = 0;
    for (; t + vectors * lanes <= n; t += vectors * lanes) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            const V right = hn::LoadU(d, y + t + v * lanes);
            RICCI_UNROLL
            for (int r = 0; r < rows; ++r)
                sum[r][v] = product_and_sum(d, hn::LoadU(d, a + r * a_step + t + v * lanes), right,
                                            sum[r][v]);
        }
    }
    for (; t + lanes <= n; t += lanes) {
        const V right = hn::LoadU(d, y + t);
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r)
            sum[r][0] = product_and_sum(d, hn::LoadU(d, a + r * a_step + t), right, sum[r][0]);
    }
    stored<V> total[rows];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r)
        total[r] = hn::Add(hn::Add(sum[r][0], sum[r][1]), hn::Add(sum[r][2], sum[r][3]));
#if HWY_TARGET != HWY_SCALAR
    // Of eight bytes each, one after another is as fast.
    if constexpr (sizeof(T) == 4 && rows % lanes_of_block<T> == 0) {
        store_sums_of_lanes(d, total, sums);
    } else
#endif
    {
        for (int r = 0; r < rows; ++r) {
            const V lanes_of_row = total[r];
            sums[r] = hn::GetLane(hn::SumOfLanes(d, lanes_of_row));
        }
    }
    for (; t < n; ++t) {
        for (int r = 0; r < rows; ++r) sums[r] += a[r * a_step + t] * y[t];
    }
}

// As many rows at once as there are registers for their sums.
template <class T>
void dot_rows(std::int64_t n, std::int64_t rows, const T* a, std::int64_t a_step, const T* y,
              T* sums) {
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
    constexpr int most = 4;
#else
    constexpr int most = 2;
#endif
    // Of so many places at once: memory delivers more from pages apart than from one.
    const std::int64_t apart = rows / most;
    for (std::int64_t r = 0; r < apart; ++r) {
        T few[most];
        dot_few_rows<most>(n, a + r * a_step, apart * a_step, y, few);
        for (std::int64_t place = 0; place < most; ++place) sums[r + place * apart] = few[place];
    }
    for (std::int64_t r = apart * most; r < rows; ++r)
        dot_few_rows<1>(n, a + r * a_step, a_step, y, sums + r);
}

template <class T>
void multiply_add(std::int64_t n, T alpha, strided<T> x, strided<T> y, T beta, T* c,
                  std::int64_t c_step) {
    const hn::ScalableTag<T> d;
    constexpr auto lanes = static_cast<std::int64_t>(HWY_LANES(T));
    std::int64_t t = 0;
    if (c_step == 1 && still_or_unit(x) && still_or_unit(y)) {
        const auto scale = hn::Set(d, alpha);
        const auto keep = hn::Set(d, beta);
        if (beta == 0) {
            for (; t + lanes <= n; t += lanes) {
                const auto left = hn::Mul(scale, load_or_broadcast(d, x, t));
                hn::StoreU(hn::Mul(left, load_or_broadcast(d, y, t)), d, c + t);
            }
        } else {
            for (; t + lanes <= n; t += lanes) {
                const auto left = hn::Mul(scale, load_or_broadcast(d, x, t));
                const auto old = hn::Mul(keep, hn::LoadU(d, c + t));
                hn::StoreU(product_and_sum(d, left, load_or_broadcast(d, y, t), old), d, c + t);
            }
        }
    }
    for (; t < n; ++t) {
        const T product = alpha * x.data[t * x.step] * y.data[t * y.step];
        T* to = c + t * c_step;
        *to = beta == 0 ? product : product + beta * *to;
    }
}

// `rows` multiples of rows side by side: C is read and written once for all of them. Where it
// `asks`, memory is asked for the elements `ahead` of these.
template <int rows, bool asks = false, class T>
HWY_INLINE void add_few_multiples(std::int64_t n, const T* x, const T* a, std::int64_t a_step,
                                  T beta, T* c, std::int64_t ahead = 0) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr auto lanes = static_cast<std::int64_t>(HWY_LANES(T));
    constexpr int vectors = 4;
    stored<V> factor[rows];
    RICCI_UNROLL
    for (int r = 0; r < rows; ++r) factor[r] = hn::Set(d, x[r]);
    const V keep = hn::Set(d, beta);
    std::int64_t t = 0;
    for (; t + vectors * lanes <= n; t += vectors * lanes) {
        stored<V> sum[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v)
            sum[v] = beta == 0 ? hn::Zero(d) : hn::Mul(keep, hn::LoadU(d, c + t + v * lanes));
        RICCI_UNROLL
        for (int r = 0; r < rows; ++r) {
            const T* const row = a + r * a_step + t;
            if constexpr (asks) ask_for(row + ahead, vectors * lanes);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                sum[v] = product_and_sum(d, factor[r], hn::LoadU(d, row + v * lanes), sum[v]);
        }
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, c + t + v * lanes);
    }
    for (; t < n; ++t) {
        T sum = beta == 0 ? T{0} : beta * c[t];
        for (int r = 0; r < rows; ++r) sum += x[r] * a[r * a_step + t];
        c[t] = sum;
    }
}

// The same by the factors alpha * x.
template <int rows, bool asks = false, class T>
HWY_INLINE void add_scaled_multiples(std::int64_t n, T alpha, strided<T> x, const T* a,
                                     std::int64_t a_step, T beta, T* c, std::int64_t ahead = 0) {
    T factor[rows];
    for (int r = 0; r < rows; ++r) factor[r] = alpha * x.data[r * x.step];
    add_few_multiples<rows, asks>(n, factor, a, a_step, beta, c, ahead);
}

template <class T>
void add_multiples(std::int64_t n, std::int64_t rows, T alpha, strided<T> x, const T* a,
                   std::int64_t a_step, T beta, T* c) {
    constexpr std::int64_t most = 4;
    // Memory delivers most from `most` places pages apart, which neighbouring rows may not be.
    constexpr std::int64_t pages = 8192 / sizeof(T);
    const std::int64_t apart = a_step < pages ? HWY_MAX(rows / most, 1) : 1;
    // Where the next rows begin, no processor guesses if these are parts of longer ones.
    const std::int64_t ahead = apart == 1 ? most * a_step : a_step;
    std::int64_t r = 0;
    for (; r + most * apart <= rows; r += most * apart) {
        for (std::int64_t i = r; i < r + apart; ++i) {
            const strided<T> factors = {x.data + i * x.step, apart * x.step};
            const T keep = i == 0 ? beta : T{1};
            if (n == a_step) {
                add_scaled_multiples<most>(n, alpha, factors, a + i * a_step, apart * a_step, keep,
                                           c);
            } else {
                add_scaled_multiples<most, true>(n, alpha, factors, a + i * a_step, apart * a_step,
                                                 keep, c, ahead);
            }
        }
    }
    const strided<T> rest = {x.data + r * x.step, x.step};
    const T keep = r == 0 ? beta : T{1};
    if (rows - r == 3) add_scaled_multiples<3>(n, alpha, rest, a + r * a_step, a_step, keep, c);
    if (rows - r == 2) add_scaled_multiples<2>(n, alpha, rest, a + r * a_step, a_step, keep, c);
    if (rows - r == 1) add_scaled_multiples<1>(n, alpha, rest, a + r * a_step, a_step, keep, c);
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
