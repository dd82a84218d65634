// Products of small matrices in Highway, read and written where they lie: a block of C in registers, for
// one batch after the other. The including file defines element_type.
#if defined(RICCI_KERNELS_GEMM_DIRECT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_DIRECT_INL_H
#undef RICCI_KERNELS_GEMM_DIRECT_INL_H
#else
#define RICCI_KERNELS_GEMM_DIRECT_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm-pack-inl.h"
#include "src/kernels/gemm.hpp"
#include "src/kernels/tail-inl.h"
#include "src/kernels/unroll.hpp"
#include "src/kernels/vector-products-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// One step: a column of A by a row of B. The first one needs no zeros to begin with. The last vector of B
// is masked: it may have fewer columns, `rest`, than lanes, and nothing behind them is touched.
template <bool is_first, int rows, int vectors, int groups, class V>
HWY_INLINE void add_product(V (&sum)[rows][vectors], const element_type* const (&a)[groups],
                            std::int64_t row, const element_type* HWY_RESTRICT b,
                            std::size_t rest) {
    const full_tag d;
    constexpr int last = vectors - 1;
    V right[vectors];
    RICCI_UNROLL
    for (int v = 0; v < last; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
    right[last] = load_first(d, b + last * lane_count, rest);
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        const V left = hn::Set(d, a[i / 3][i % 3 * row]);
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            sum[i][v] =
                is_first ? hn::Mul(left, right[v]) : product_and_sum(d, left, right[v], sum[i][v]);
        }
    }
}

// C from sums that are complete.
template <bool replaces, bool whole, int rows, int vectors, class V>
HWY_INLINE void write_direct(const V (&sum)[rows][vectors], const small_matrices<element_type>& p,
                             element_type* HWY_RESTRICT c, std::size_t rest) {
    const full_tag d;
    const std::int64_t c_row = p.c_row;
    const V alpha = hn::Set(d, p.alpha), beta = hn::Set(d, p.beta);
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i, c += c_row) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            constexpr int last = vectors - 1;
            element_type* const to = c + v * lane_count;
            V value = hn::Mul(alpha, sum[i][v]);
            if constexpr (!replaces) {
                const V old = whole || v < last ? hn::LoadU(d, to) : load_first(d, to, rest);
                value = product_and_sum(d, beta, old, value);
            }
            if (whole || v < last) hn::StoreU(value, d, to);
            else store_first(value, d, to, rest);
        }
    }
}

template <int rows, int vectors>
void multiply_direct(const small_matrices<element_type>& p) {
    using vector = hn::Vec<full_tag>;
    constexpr int groups = (rows + 2) / 3;  // one address each: more would not stay in registers
    const auto rest = static_cast<std::size_t>(p.columns - (vectors - 1) * lane_count);
    const bool whole = rest == static_cast<std::size_t>(lane_count);
    const std::int64_t depth = p.depth, row = p.a_row, step = p.a_step, b_step = p.b_step;
    for (std::int64_t batch = 0; batch < p.batches; ++batch) {
        const element_type* HWY_RESTRICT b = p.b + batch * p.b_batch;
        const element_type* a[groups];
        RICCI_UNROLL
        for (int g = 0; g < groups; ++g) a[g] = p.a + batch * p.a_batch + 3 * g * row;
        const auto advance = [&]() HWY_ATTR RICCI_INLINE_LAMBDA {
            b += b_step;
            RICCI_UNROLL
            for (int g = 0; g < groups; ++g) a[g] += step;
        };
        vector sum[rows][vectors];
        add_product<true, rows, vectors>(sum, a, row, b, rest);
        for (std::int64_t k = 1; k < depth; ++k) {
            advance();
            add_product<false, rows, vectors>(sum, a, row, b, rest);
        }
        element_type* const c = p.c + batch * p.c_batch;
        const bool replaces = p.beta == element_type{0};
        if (replaces && whole) write_direct<true, true>(sum, p, c, rest);
        else if (replaces) write_direct<true, false>(sum, p, c, rest);
        else if (whole) write_direct<false, true>(sum, p, c, rest);
        else write_direct<false, false>(sum, p, c, rest);
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
