// Products of lines of complex numbers, of which every number is read about once.
#if defined(RICCI_KERNELS_VECTOR_PRODUCTS_COMPLEX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_VECTOR_PRODUCTS_COMPLEX_INL_H
#undef RICCI_KERNELS_VECTOR_PRODUCTS_COMPLEX_INL_H
#else
#define RICCI_KERNELS_VECTOR_PRODUCTS_COMPLEX_INL_H
#endif

#include <complex>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/complex-pair-inl.h"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

template <bool conjugate>
HWY_INLINE pair line_vector(const strided<number>& x, std::int64_t t) {
    pair z = x.step == 1 ? load(x.data + t) : broadcast(*x.data);
    if (conjugate) z.im = hn::Neg(z.im);
    return z;
}

template <bool conjugate>
HWY_INLINE number line_number(const strided<number>& x, std::int64_t t) {
    const number z = x.data[t * x.step];
    return conjugate ? std::conj(z) : z;
}

#if HWY_TARGET != HWY_SCALAR

// Products of numbers as they lie in memory: `same` of parts of one kind, `other` of real parts by
// imaginary ones.
struct dot_sums {
    stored<part_vector> same, other;

    HWY_INLINE dot_sums() : same(hn::Zero(part_tag())), other(hn::Zero(part_tag())) {}
    HWY_INLINE void add(const part* x, const part* y) {
        const part_tag d;
        const part_vector left = hn::LoadU(d, x), right = hn::LoadU(d, y);
        same = hn::MulAdd(left, right, same);
        other = hn::MulAdd(left, hn::Reverse2(d, right), other);
    }
    HWY_INLINE void add(const dot_sums& more) {
        same = hn::Add(same, more.same);
        other = hn::Add(other, more.other);
    }
    // Even lanes of `same` hold products of real parts, those of `other` x's real parts by y's
    // imaginary ones.
    template <bool conjugate_x, bool conjugate_y>
    HWY_INLINE number total() const {
        const part_tag d;
        const auto sum = [&](part_vector even, part_vector odd) HWY_ATTR {
            return hn::GetLane(hn::SumOfLanes(d, hn::OddEven(odd, even)));
        };
        return {sum(same, maybe_negated<conjugate_x == conjugate_y>(same)),
                sum(maybe_negated<conjugate_y>(other), maybe_negated<conjugate_x>(other))};
    }
};

#endif

template <bool conjugate_x, bool conjugate_y>
number dot(std::int64_t n, strided<number> x, strided<number> y) {
    std::int64_t t = 0;
    number total(0);
#if HWY_TARGET != HWY_SCALAR
    constexpr int step = lane_count / 2;
    if (n >= step && (x.step == 0 || x.step == 1) && (y.step == 0 || y.step == 1)) {
        // A number that stands still is as many that are the same.
        HWY_ALIGN number one_x[step];
        HWY_ALIGN number one_y[step];
        for (int l = 0; l < step; ++l) one_x[l] = *x.data, one_y[l] = *y.data;
        const part* left = parts(x.step == 0 ? one_x : x.data);
        const part* right = parts(y.step == 0 ? one_y : y.data);
        const std::int64_t left_step = x.step * lane_count, right_step = y.step * lane_count;
        dot_sums sums[4];
        for (; t + 4 * step <= n; t += 4 * step) {
            RICCI_UNROLL
            for (int v = 0; v < 4; ++v, left += left_step, right += right_step)
                sums[v].add(left, right);
        }
        for (; t + step <= n; t += step, left += left_step, right += right_step)
            sums[0].add(left, right);
        sums[0].add(sums[1]);
        sums[2].add(sums[3]);
        sums[0].add(sums[2]);
        total = sums[0].template total<conjugate_x, conjugate_y>();
    }
#endif
    for (; t < n; ++t)
        total += times(line_number<conjugate_x>(x, t), line_number<conjugate_y>(y, t));
    return total;
}

template <bool conjugate_x, bool conjugate_y>
void multiply_add(std::int64_t n, number alpha, strided<number> x, strided<number> y, number beta,
                  number* c, std::int64_t c_step) {
    const bool reads = beta != number(0);
    std::int64_t t = 0;
    if (c_step == 1 && (x.step == 0 || x.step == 1) && (y.step == 0 || y.step == 1)) {
        const pair scale = broadcast(alpha);
        const pair keep = broadcast(beta);
        for (; t + lane_count <= n; t += lane_count) {
            const pair left = multiply(scale, line_vector<conjugate_x>(x, t));
            pair product = multiply(left, line_vector<conjugate_y>(y, t));
            if (reads) product = multiply_and_add(keep, load(c + t), product);
            store(product, c + t);
        }
    }
    for (; t < n; ++t) {
        const number product =
            times(times(alpha, line_number<conjugate_x>(x, t)), line_number<conjugate_y>(y, t));
        number* to = c + t * c_step;
        *to = reads ? product + times(beta, *to) : product;
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
