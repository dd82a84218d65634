// Extrema of operands where they lie: many folds side by side, or one along its terms. NaN is
// right in both. The including file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_EXTREMUM_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_EXTREMUM_LINES_INL_H
#undef RICCI_KERNELS_EXTREMUM_LINES_INL_H
#else
#define RICCI_KERNELS_EXTREMUM_LINES_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/algebra/extrema.hpp"
#include "src/kernels/algebra/extremum-fold-inl.h"
#include "src/kernels/algebra/strided-load-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// `vectors` vectors of folds from fold x on, without places; not whole: one vector of `count`.
template <class Fold, int vectors, bool whole, spacing of_a, spacing of_b>
HWY_INLINE void fold_vectors(const fold_terms<element_type>& terms,
                             const fold_line<element_type>& to, std::int64_t x, int count) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    element_type* const c = to.c + x * to.c_step;
    stored<vector> best[vectors];
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v) {
        best[v] = hn::Set(d, Fold::none);
        if (to.joins) best[v] = load_any(c + v * lane_count * to.c_step, to.c_step, count);
    }
    for (std::int64_t o = 0; o < terms.outer; ++o) {
        const element_type* a = terms.a + terms.a_outer[o] + x * to.a_step;
        const element_type* b = terms.b + terms.b_outer[o] + x * to.b_step;
        for (std::int64_t i = 0; i < terms.inner; ++i) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const std::int64_t at = v * lane_count;
                const vector term =
                    hn::Add(load_lanes<of_a, whole>(a + at * to.a_step, to.a_step, count),
                            load_lanes<of_b, whole>(b + at * to.b_step, to.b_step, count));
                best[v] = join_all<Fold>(term, vector(best[v]));
            }
            a += terms.a_step;
            b += terms.b_step;
        }
    }
    RICCI_UNROLL
    for (int v = 0; v < vectors; ++v)
        store_lanes(best[v], c + v * lane_count * to.c_step, to.c_step, count);
}

using fold_place_tag = hn::RebindToSigned<full_tag>;
using fold_place = hn::TFromD<fold_place_tag>;

/// A vector of folds and of their places. A lane whose place stays -1 keeps what C holds.
template <class Fold, spacing of_a, spacing of_b, bool whole>
HWY_INLINE void fold_vector_with_places(const fold_terms<element_type>& terms,
                                        const fold_line<element_type>& to, std::int64_t x,
                                        int count) {
    const full_tag d;
    const fold_place_tag d_place;
    using vector = hn::Vec<full_tag>;
    element_type* const c = to.c + x * to.c_step;
    vector best = hn::Set(d, Fold::none);
    // The first term is taken whatever it is.
    auto found = hn::Set(d_place, static_cast<fold_place>(to.joins ? -1 : terms.first_place));
    if (to.joins) best = load_any(c, to.c_step, count);
    auto here = hn::Set(d_place, static_cast<fold_place>(terms.first_place));
    const auto one = hn::Set(d_place, fold_place{1});
    for (std::int64_t o = 0; o < terms.outer; ++o) {
        const element_type* a = terms.a + terms.a_outer[o] + x * to.a_step;
        const element_type* b = terms.b + terms.b_outer[o] + x * to.b_step;
        for (std::int64_t i = 0; i < terms.inner; ++i) {
            const vector term = hn::Add(load_lanes<of_a, whole>(a, to.a_step, count),
                                        load_lanes<of_b, whole>(b, to.b_step, count));
            // Nothing is better than NaN, not even another one.
            const auto first_nan = hn::AndNot(hn::IsNaN(best), hn::IsNaN(term));
            const auto takes = hn::Or(Fold::is_better(term, best), first_nan);
            best = hn::IfThenElse(takes, term, best);
            found = hn::IfThenElse(hn::RebindMask(d_place, takes), here, found);
            here = hn::Add(here, one);
            a += terms.a_step;
            b += terms.b_step;
        }
    }
    store_lanes(best, c, to.c_step, count);
    HWY_ALIGN fold_place lanes[HWY_MAX_BYTES / sizeof(fold_place)];
    hn::Store(found, d_place, lanes);
    place* const places = to.places + x * to.c_step;
    for (int l = 0; l < count; ++l)
        if (lanes[l] >= 0) places[l * to.c_step] = static_cast<place>(lanes[l]);
}

/// `rows` rows and `vectors` vectors of a small product in registers: terms of a are the same all
/// along the line.
template <class Fold, int rows, int vectors, bool whole, spacing of_b>
HWY_INLINE void fold_block(const fold_terms<element_type>& terms, const fold_line<element_type>& to,
                           std::int64_t row, std::int64_t x, int count) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    element_type* const c = to.c + row * to.c_row + x * to.c_step;
    stored<vector> best[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            best[i][v] = hn::Set(d, Fold::none);
            if (to.joins)
                best[i][v] =
                    load_any(c + i * to.c_row + v * lane_count * to.c_step, to.c_step, count);
        }
    }
    for (std::int64_t o = 0; o < terms.outer; ++o) {
        const element_type* a = terms.a + terms.a_outer[o] + row * to.a_row;
        const element_type* b = terms.b + terms.b_outer[o] + x * to.b_step;
        for (std::int64_t k = 0; k < terms.inner; ++k) {
            stored<vector> right[vectors];
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v)
                right[v] =
                    load_lanes<of_b, whole>(b + v * lane_count * to.b_step, to.b_step, count);
            RICCI_UNROLL
            for (int i = 0; i < rows; ++i) {
                const vector left = hn::Set(d, a[i * to.a_row]);
                RICCI_UNROLL
                for (int v = 0; v < vectors; ++v)
                    best[i][v] =
                        join_all<Fold>(hn::Add(left, vector(right[v])), vector(best[i][v]));
            }
            a += terms.a_step;
            b += terms.b_step;
        }
    }
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v)
            store_lanes(best[i][v], c + i * to.c_row + v * lane_count * to.c_step, to.c_step,
                        count);
    }
}

template <class Fold, int rows, spacing of_b>
HWY_INLINE void fold_block_rows(const fold_terms<element_type>& terms,
                                const fold_line<element_type>& to, std::int64_t row) {
    std::int64_t x = 0;
    for (; x + 2 * lane_count <= to.count; x += 2 * lane_count)
        fold_block<Fold, rows, 2, true, of_b>(terms, to, row, x, lane_count);
    for (; x + lane_count <= to.count; x += lane_count)
        fold_block<Fold, rows, 1, true, of_b>(terms, to, row, x, lane_count);
    if (x < to.count)
        fold_block<Fold, rows, 1, false, of_b>(terms, to, row, x, static_cast<int>(to.count - x));
}

template <class Fold, spacing of_b>
void fold_small_product(const fold_terms<element_type>& terms, const fold_line<element_type>& to) {
    std::int64_t row = 0;
    for (; row + 4 <= to.rows; row += 4) fold_block_rows<Fold, 4, of_b>(terms, to, row);
    for (; row + 2 <= to.rows; row += 2) fold_block_rows<Fold, 2, of_b>(terms, to, row);
    if (row < to.rows) fold_block_rows<Fold, 1, of_b>(terms, to, row);
}

template <class Fold, spacing of_a, spacing of_b>
HWY_INLINE void fold_one_line(const fold_terms<element_type>& terms,
                              const fold_line<element_type>& to) {
    constexpr int abreast = 4;
    std::int64_t x = 0;
    if (to.places != nullptr) {
        for (; x + lane_count <= to.count; x += lane_count)
            fold_vector_with_places<Fold, of_a, of_b, true>(terms, to, x, lane_count);
        if (x < to.count)
            fold_vector_with_places<Fold, of_a, of_b, false>(terms, to, x,
                                                             static_cast<int>(to.count - x));
        return;
    }
    for (; x + abreast * lane_count <= to.count; x += abreast * lane_count)
        fold_vectors<Fold, abreast, true, of_a, of_b>(terms, to, x, lane_count);
    for (; x + lane_count <= to.count; x += lane_count)
        fold_vectors<Fold, 1, true, of_a, of_b>(terms, to, x, lane_count);
    if (x < to.count)
        fold_vectors<Fold, 1, false, of_a, of_b>(terms, to, x, static_cast<int>(to.count - x));
}

template <class Fold>
void extremum_line(const fold_terms<element_type>& terms, const fold_line<element_type>& to) {
    const spacing a = spacing_of(to.a_step), b = spacing_of(to.b_step);
    if (to.rows > 1 && to.places == nullptr && a == spacing::same) {
        if (b == spacing::adjacent) fold_small_product<Fold, spacing::adjacent>(terms, to);
        else fold_small_product<Fold, spacing::any>(terms, to);
        return;
    }
    with_spacings(a, b, [&](auto of_a, auto of_b) HWY_ATTR {
        for_each_row(terms, to, [](const auto& row_terms, const auto& line) HWY_ATTR {
            fold_one_line<Fold, decltype(of_a)::value, decltype(of_b)::value>(row_terms, line);
        });
    });
}

/// The extremum of the inner terms from a and b on, and `start`.
template <class Fold, spacing of_a, spacing of_b>
HWY_INLINE element_type extremum_of_run(const fold_terms<element_type>& terms,
                                        const element_type* a, const element_type* b,
                                        element_type start) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    constexpr int chains = 4;
    stored<vector> best[chains];
    RICCI_UNROLL
    for (int v = 0; v < chains; ++v) best[v] = hn::Set(d, Fold::none);
    const auto term = [&](std::int64_t i) HWY_ATTR RICCI_INLINE_LAMBDA {
        return hn::Add(load_lanes<of_a, true>(a + i * terms.a_step, terms.a_step, lane_count),
                       load_lanes<of_b, true>(b + i * terms.b_step, terms.b_step, lane_count));
    };
    std::int64_t i = 0;
    for (; i + chains * lane_count <= terms.inner; i += chains * lane_count) {
        RICCI_UNROLL
        for (int v = 0; v < chains; ++v)
            best[v] = join_all<Fold>(term(i + v * lane_count), vector(best[v]));
    }
    for (; i + lane_count <= terms.inner; i += lane_count)
        best[0] = join_all<Fold>(term(i), vector(best[0]));
    if (terms.inner >= lane_count) {
        RICCI_UNROLL
        for (int v = 1; v < chains; ++v) best[0] = join_all<Fold>(vector(best[v]), vector(best[0]));
        HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)];
        hn::Store(vector(best[0]), d, lanes);
        for (int l = 0; l < lane_count; ++l)
            if (takes_over<Fold>(lanes[l], start)) start = lanes[l];
    }
    for (; i < terms.inner; ++i) {
        const element_type x = a[i * terms.a_step] + b[i * terms.b_step];
        if (takes_over<Fold>(x, start)) start = x;
    }
    return start;
}

/// The place of the first inner term that is `best`, NaN or not; there is one.
template <spacing of_a, spacing of_b>
HWY_INLINE std::int64_t place_in_run(const fold_terms<element_type>& terms, const element_type* a,
                                     const element_type* b, element_type best) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    const vector wanted = hn::Set(d, best);
    std::int64_t i = 0;
    for (; i + lane_count <= terms.inner; i += lane_count) {
        const vector x =
            hn::Add(load_lanes<of_a, true>(a + i * terms.a_step, terms.a_step, lane_count),
                    load_lanes<of_b, true>(b + i * terms.b_step, terms.b_step, lane_count));
        const auto found = best == best ? hn::Eq(x, wanted) : hn::IsNaN(x);
        if (!hn::AllFalse(d, found)) break;
    }
    for (;; ++i) {
        const element_type x = a[i * terms.a_step] + b[i * terms.b_step];
        if (best == best ? x == best : x != x) return i;
    }
}

template <class Fold>
void extremum_along(const fold_terms<element_type>& terms, const fold_line<element_type>& to) {
    with_spacings(spacing_of(terms.a_step), spacing_of(terms.b_step), [&](auto a, auto b) HWY_ATTR {
        constexpr spacing of_a = decltype(a)::value, of_b = decltype(b)::value;
        element_type best = to.joins ? *to.c : Fold::none;
        std::int64_t run = to.joins ? -1 : 0;
        for (std::int64_t o = 0; o < terms.outer; ++o) {
            const element_type found = extremum_of_run<Fold, of_a, of_b>(
                terms, terms.a + terms.a_outer[o], terms.b + terms.b_outer[o], best);
            if (takes_over<Fold>(found, best)) run = o;
            best = found;
        }
        *to.c = best;
        if (to.places == nullptr || run < 0) return;
        const std::int64_t found = place_in_run<of_a, of_b>(terms, terms.a + terms.a_outer[run],
                                                            terms.b + terms.b_outer[run], best);
        *to.places = static_cast<place>(terms.first_place + run * terms.inner + found);
    });
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
