// Log-sum-exp of operands where they lie, exact to rounding whatever their range: the maximum of
// the terms first, then the sum of the exponentials of what they are below it. The including file
// defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_LOGSUMEXP_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LOGSUMEXP_LINES_INL_H
#undef RICCI_KERNELS_LOGSUMEXP_LINES_INL_H
#else
#define RICCI_KERNELS_LOGSUMEXP_LINES_INL_H
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

#include "src/kernels/algebra/extremum-fold-inl.h"
#include "src/kernels/algebra/logsumexp.hpp"
#include "src/kernels/algebra/strided-load-inl.h"
#include "src/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr element_type positive_infinity = std::numeric_limits<element_type>::infinity();

/// log of `sum` exponentials that were shifted by `most`; `most` itself where that is not finite.
HWY_INLINE hn::Vec<full_tag> unshifted(hn::Vec<full_tag> most, hn::Vec<full_tag> sum) {
    const full_tag d;
    return hn::IfThenElse(hn::Lt(hn::Abs(most), hn::Set(d, positive_infinity)),
                          hn::Add(most, logarithm(d, sum)), most);
}

/// Calls go(vector of terms) for all k, in their order. `load_a` and `load_b` read a vector of
/// folds from a position.
template <class LoadA, class LoadB, class Go>
HWY_INLINE void for_each_term(const fold_terms<element_type>& terms, LoadA load_a, LoadB load_b,
                              Go go) {
    for (std::int64_t o = 0; o < terms.outer; ++o) {
        const element_type* a = terms.a + terms.a_outer[o];
        const element_type* b = terms.b + terms.b_outer[o];
        for (std::int64_t i = 0; i < terms.inner; ++i) {
            go(hn::Add(load_a(a), load_b(b)));
            a += terms.a_step;
            b += terms.b_step;
        }
    }
}

/// A vector of folds; with `joins`, `before` is one more term.
template <class LoadA, class LoadB>
HWY_INLINE hn::Vec<full_tag> logsumexp_vector(const fold_terms<element_type>& terms, LoadA load_a,
                                              LoadB load_b, bool joins, hn::Vec<full_tag> before) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    vector most = joins ? before : hn::Set(d, -positive_infinity);
    for_each_term(terms, load_a, load_b,
                  [&](vector x) HWY_ATTR { most = join_all<maximum_fold>(x, most); });
    // What is not finite is its own result: no exponentials where all folds are.
    if (hn::AllFalse(d, hn::Lt(hn::Abs(most), hn::Set(d, positive_infinity)))) return most;
    vector sum = hn::Zero(d);
    if (joins) sum = exponential_of_nonpositive(d, hn::Sub(before, most));
    for_each_term(terms, load_a, load_b, [&](vector x) HWY_ATTR {
        sum = hn::Add(sum, exponential_of_nonpositive(d, hn::Sub(x, most)));
    });
    return unshifted(most, sum);
}

template <spacing of_a, spacing of_b, bool whole>
HWY_INLINE void logsumexp_folds(const fold_terms<element_type>& terms,
                                const fold_line<element_type>& to, std::int64_t x, int count) {
    const full_tag d;
    const auto load_a = [&](const element_type* a) HWY_ATTR {
        return load_lanes<of_a, whole>(a + x * to.a_step, to.a_step, count);
    };
    const auto load_b = [&](const element_type* b) HWY_ATTR {
        return load_lanes<of_b, whole>(b + x * to.b_step, to.b_step, count);
    };
    element_type* const c = to.c + x * to.c_step;
    const auto before = to.joins ? load_any(c, to.c_step, count) : hn::Zero(d);
    store_lanes(logsumexp_vector(terms, load_a, load_b, to.joins, before), c, to.c_step, count);
}

void logsumexp_line(const fold_terms<element_type>& terms, const fold_line<element_type>& to) {
    with_spacings(spacing_of(to.a_step), spacing_of(to.b_step), [&](auto a, auto b) HWY_ATTR {
        for_each_row(terms, to, [](const auto& row_terms, const auto& line) HWY_ATTR {
            constexpr spacing of_a = decltype(a)::value, of_b = decltype(b)::value;
            std::int64_t x = 0;
            for (; x + lane_count <= line.count; x += lane_count)
                logsumexp_folds<of_a, of_b, true>(row_terms, line, x, lane_count);
            if (x < line.count)
                logsumexp_folds<of_a, of_b, false>(row_terms, line, x,
                                                   static_cast<int>(line.count - x));
        });
    });
}

void logsumexp_listed(const fold_terms<element_type>& terms, const std::int64_t* columns, int count,
                      element_type* to) {
    const full_tag d;
    const auto load_a = [&](const element_type* a) HWY_ATTR { return hn::Set(d, *a); };
    const bool adjacent = count == lane_count && columns[count - 1] == columns[0] + count - 1;
    const auto load_b = [&](const element_type* b) HWY_ATTR {
        if (adjacent) return hn::LoadU(d, b + columns[0]);
        HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)] = {};
        for (int x = 0; x < count; ++x) lanes[x] = b[columns[x]];
        return hn::Load(d, lanes);
    };
    store_lanes(logsumexp_vector(terms, load_a, load_b, false, hn::Zero(d)), to, 1, count);
}

/// exp(x - most) in every lane, 0 in those from `count` on.
HWY_INLINE hn::Vec<full_tag> shifted_first(hn::Vec<full_tag> x, element_type most, int count) {
    const full_tag d;
    const auto value = exponential_of_nonpositive(d, hn::Sub(x, hn::Set(d, most)));
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), value);
}

template <spacing of_a, spacing of_b>
HWY_INLINE void logsumexp_of_runs(const fold_terms<element_type>& terms, bool joins,
                                  element_type* c) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    const auto for_each_vector = [&](auto go) HWY_ATTR {
        for (std::int64_t o = 0; o < terms.outer; ++o) {
            const element_type* const a = terms.a + terms.a_outer[o];
            const element_type* const b = terms.b + terms.b_outer[o];
            std::int64_t i = 0;
            for (; i + lane_count <= terms.inner; i += lane_count)
                go(hn::Add(load_lanes<of_a, true>(a + i * terms.a_step, terms.a_step, lane_count),
                           load_lanes<of_b, true>(b + i * terms.b_step, terms.b_step, lane_count)),
                   lane_count);
            if (i == terms.inner) continue;
            const int count = static_cast<int>(terms.inner - i);
            go(hn::Add(load_lanes<of_a, false>(a + i * terms.a_step, terms.a_step, count),
                       load_lanes<of_b, false>(b + i * terms.b_step, terms.b_step, count)),
               count);
        }
    };
    const vector none = hn::Set(d, -positive_infinity);
    vector most = joins ? hn::Set(d, *c) : none;
    for_each_vector([&](vector x, int count) HWY_ATTR {
        if (count < lane_count)
            x = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count)), x, none);
        most = join_all<maximum_fold>(x, most);
    });
    HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)];
    hn::Store(most, d, lanes);
    element_type shift = lanes[0];
    for (int l = 1; l < lane_count; ++l)
        if (takes_over<maximum_fold>(lanes[l], shift)) shift = lanes[l];
    if (!(std::abs(shift) < positive_infinity)) {
        *c = shift;
        return;
    }
    vector sum = hn::Zero(d);
    if (joins) sum = shifted_first(hn::Set(d, *c), shift, 1);
    for_each_vector([&](vector x, int count)
                        HWY_ATTR { sum = hn::Add(sum, shifted_first(x, shift, count)); });
    const vector total = hn::SumOfLanes(d, sum);
    *c = hn::GetLane(unshifted(hn::Set(d, shift), total));
}

void logsumexp_along(const fold_terms<element_type>& terms, const fold_line<element_type>& to) {
    with_spacings(spacing_of(terms.a_step), spacing_of(terms.b_step), [&](auto a, auto b) HWY_ATTR {
        logsumexp_of_runs<decltype(a)::value, decltype(b)::value>(terms, to.joins, to.c);
    });
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
