// Products of small matrices in Highway, read and written where they lie: a block of C in
// registers, for one batch after the other. The including file defines element_type.
// No pointer here is restrict: what is written may be read by the next product of a call.
#if defined(RICCI_KERNELS_GEMM_DIRECT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_GEMM_DIRECT_INL_H
#undef RICCI_KERNELS_GEMM_DIRECT_INL_H
#else
#define RICCI_KERNELS_GEMM_DIRECT_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/gemm/gemm-element-inl.h"
#include "src/kernels/prefetch.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/gemm/unroll-depth-inl.h"
#include "src/kernels/unroll.hpp"
#include "src/kernels/gemm/vector-products-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

// The last vector of a row may have fewer columns than lanes: nothing behind them is touched. Where
// masks cost nothing it is always masked; where there are none, it has to be whole.
#if HWY_TARGET <= HWY_AVX3
constexpr bool has_masks = true, always_masks = true;
#else
constexpr bool has_masks = HWY_TARGET == HWY_AVX2 || !HWY_MEM_OPS_MIGHT_FAULT, always_masks = false;
#endif

template <bool whole>
HWY_INLINE hn::Vec<full_tag> load_last(hn::Mask<full_tag> mask, const element_type* from) {
    const full_tag d;
    return whole ? hn::LoadU(d, from) : hn::MaskedLoad(mask, d, from);
}

template <bool whole>
HWY_INLINE void store_last(hn::Vec<full_tag> value, hn::Mask<full_tag> mask, element_type* to) {
    const full_tag d;
    if constexpr (whole) hn::StoreU(value, d, to);
    else hn::BlendedStore(value, mask, d, to);
}

// One step: a column of A by a row of B. The first one needs no zeros to begin with.
template <bool whole, bool is_first, int rows, int vectors, int groups, class V>
HWY_INLINE void add_product(V (&sum)[rows][vectors], const element_type* const (&a)[groups],
                            std::int64_t row, const element_type* b, hn::Mask<full_tag> mask) {
    const full_tag d;
    constexpr int last = vectors - 1;
    V right[vectors];
    RICCI_UNROLL
    for (int v = 0; v < last; ++v) right[v] = hn::LoadU(d, b + v * lane_count);
    right[last] = load_last<whole>(mask, b + last * lane_count);
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
                             element_type* c, hn::Mask<full_tag> mask) {
    const full_tag d;
    constexpr int last = vectors - 1;
    const std::int64_t c_row = p.c_row;
    const V alpha = hn::Set(d, p.alpha), beta = hn::Set(d, p.beta);
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i, c += c_row) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            element_type* const to = c + v * lane_count;
            V value = hn::Mul(alpha, sum[i][v]);
            if constexpr (!replaces) {
                const V old = v < last ? hn::LoadU(d, to) : load_last<whole>(mask, to);
                value = product_and_sum(d, beta, old, value);
            }
            if (v < last) hn::StoreU(value, d, to);
            else store_last<whole>(value, mask, to);
        }
    }
}

// Asks for lines of `length` elements that are `step` apart, all of one that is dense at once.
HWY_INLINE void ask_for_lines(const element_type* from, std::int64_t lines, std::int64_t step,
                              std::int64_t length) {
    if (step == length) {
        length *= lines;
        lines = 1;
    }
    for (std::int64_t i = 0; i < lines; ++i) kernels::ask_for(from + i * step, length);
}

// Those of one product. The last vector has `rest` columns.
template <bool whole, int rows, int vectors>
HWY_INLINE void multiply_batches(const small_matrices<element_type>& p, const product_places& at,
                                 std::size_t rest, hn::Mask<full_tag> mask) {
    constexpr int groups = (rows + 2) / 3;  // one address each: more would not stay in registers
    const std::int64_t depth = p.depth, row = p.a_row, step = p.a_step, b_step = p.b_step;
    for (std::int64_t batch = 0; batch < p.batches; ++batch) {
        const element_type* b = static_cast<const element_type*>(at.b) + batch * p.b_batch;
        element_type* const c = static_cast<element_type*>(at.c) + batch * p.c_batch;
        const element_type* a[groups];
        RICCI_UNROLL
        for (int g = 0; g < groups; ++g)
            a[g] = static_cast<const element_type*>(at.a) + batch * p.a_batch + 3 * g * row;
        if (p.ask_a) {
            const element_type* const next = a[0] + p.ahead * p.a_batch;
            if (step == 1) ask_for_lines(next, rows, row, depth);
            else ask_for_lines(next, depth, step, rows);
        }
        if (p.ask_b) ask_for_lines(b + p.ahead * p.b_batch, depth, b_step, p.columns);
        if (p.ask_c) ask_for_lines(c + p.ahead * p.c_batch, rows, p.c_row, p.columns);
        stored<hn::Vec<full_tag>> sum[rows][vectors];
        add_product<whole, true, rows, vectors>(sum, a, row, b, mask);
        RICCI_UNROLL_DEPTH
        for (std::int64_t k = 1; k < depth; ++k) {
            b += b_step;
            RICCI_UNROLL
            for (int g = 0; g < groups; ++g) a[g] += step;
            add_product<whole, false, rows, vectors>(sum, a, row, b, mask);
        }
        // A masked store is slow on some processors.
        const bool filled = whole || rest == static_cast<std::size_t>(lane_count);
        const bool replaces = p.beta == element_type{0};
        if (replaces && filled) write_direct<true, true>(sum, p, c, mask);
        else if (replaces) write_direct<true, whole>(sum, p, c, mask);
        else if (filled) write_direct<false, true>(sum, p, c, mask);
        else write_direct<false, whole>(sum, p, c, mask);
    }
}

template <bool whole, int rows, int vectors>
void multiply_matrices(const small_matrices<element_type>& p, const product_places* at,
                       std::int64_t count) {
    const auto rest = static_cast<std::size_t>(p.columns - (vectors - 1) * lane_count);
    const hn::Mask<full_tag> mask = hn::FirstN(full_tag(), rest);
    for (const product_places* const end = at + count; at != end; ++at)
        multiply_batches<whole, rows, vectors>(p, *at, rest, mask);
}

template <int rows, int vectors>
void multiply_direct(const small_matrices<element_type>& p, const product_places* at,
                     std::int64_t count) {
    if constexpr (always_masks) {
        multiply_matrices<false, rows, vectors>(p, at, count);
    } else if constexpr (has_masks) {
        (p.columns == vectors * lane_count
             ? &multiply_matrices<true, rows, vectors>
             : &multiply_matrices<false, rows, vectors>)(p, at, count);
    } else {
        multiply_matrices<true, rows, vectors>(p, at, count);
    }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
