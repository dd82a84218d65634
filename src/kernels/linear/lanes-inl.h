// Small matrices of a batch in Highway, a matrix in each lane: factors and substitution. The
// including file defines RICCI_LINEAR_TYPE.
#if defined(RICCI_KERNELS_LINEAR_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINEAR_LANES_INL_H
#undef RICCI_KERNELS_LINEAR_LANES_INL_H
#else
#define RICCI_KERNELS_LINEAR_LANES_INL_H
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

#include "src/kernels/linear/linear.hpp"
#include "src/kernels/linear/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr std::int64_t group = group_size<number>;
constexpr std::int64_t slot = group * parts<number>;  // parts from a number to the next

HWY_INLINE numbers lane_load(const part* p) { return load_apart(p, group); }
HWY_INLINE void lane_store(numbers x, part* p) { store_apart(x, p, group); }

// Notes lanes whose pivot is not positive, or no finite number.
HWY_NOINLINE void note_failures(part_vector pivot, std::int64_t k, std::int64_t* failed) {
    HWY_ALIGN part each[lane_count];
    hn::Store(pivot, part_tag(), each);
    for (int l = 0; l < lane_count; ++l) {
        const bool finite = std::isfinite(each[l]);
        if (failed[l] < 0 && !(finite && each[l] > 0)) failed[l] = 2 * k + (finite ? 0 : 1);
    }
}

HWY_INLINE bool is_good(part_vector pivot) {
    const part_tag d;
    const auto finite = hn::Le(pivot, hn::Set(d, std::numeric_limits<part>::max()));
    return hn::AllTrue(d, hn::And(hn::Gt(pivot, hn::Zero(d)), finite));
}

// The row from k on with the largest number in column k, the first of equal ones.
template <int fixed>
HWY_INLINE bits_vector find_pivot(std::int64_t n, std::int64_t k, const part* a) {
    const bits_tag d;
    bits_vector row = hn::Set(d, static_cast<hn::TFromD<bits_tag>>(k));
    bits_vector largest = bits_of(magnitude(lane_load(a + (k * n + k) * slot)));
    for (std::int64_t i = k + 1; i < (fixed != 0 ? fixed : n); ++i) {
        const bits_vector here = bits_of(magnitude(lane_load(a + (i * n + k) * slot)));
        const auto is_larger = hn::Gt(here, largest);
        largest = hn::IfThenElse(is_larger, here, largest);
        row = hn::IfThenElse(is_larger, hn::Set(d, static_cast<hn::TFromD<bits_tag>>(i)), row);
    }
    return row;
}

// Exchanges row k, of `columns` numbers, for row[l] >= k of each lane l.
HWY_INLINE void exchange_row(std::int64_t n, std::int64_t columns, std::int64_t k, bits_vector row,
                             part* b) {
    const bits_tag d;
    for (std::int64_t i = k + 1; i < n; ++i) {
        const auto is_this = hn::Eq(row, hn::Set(d, static_cast<hn::TFromD<bits_tag>>(i)));
        if (hn::AllFalse(d, is_this)) continue;
        const auto mask = hn::RebindMask(part_tag(), is_this);
        part* upper = b + k * columns * slot;
        part* lower = b + i * columns * slot;
        for (std::int64_t j = 0; j < columns; ++j, upper += slot, lower += slot) {
            const numbers x = lane_load(upper), y = lane_load(lower);
            lane_store(select(mask, y, x), upper);
            lane_store(select(mask, x, y), lower);
        }
    }
}

// fixed: n, where the compiler is to know it; 0 for any.
template <int fixed>
HWY_INLINE bool factor_lu_lanes(std::int64_t any_n, part* a, lane_integer<number>* pivots,
                                std::int64_t* failed) {
    const std::int64_t n = fixed != 0 ? fixed : any_n;
    bool good = true;
    for (std::int64_t k = 0; k < n; ++k) {
        const bits_vector row = find_pivot<fixed>(n, k, a);
        hn::StoreU(row, bits_tag(), pivots + k * group);
        exchange_row(n, n, k, row, a);
        numbers pivot = lane_load(a + (k * n + k) * slot);
        if (!is_good(magnitude(pivot))) {
            good = false;
            note_failures(magnitude(pivot), k, failed);
            // Below a pivot of 0 all are 0, and divided by 1 they stay so.
            const auto is_some = hn::Gt(magnitude(pivot), hn::Zero(part_tag()));
            pivot = select(is_some, pivot, broadcast(number{1}));
        }
        for (std::int64_t i = k + 1; i < n; ++i) {
            part* const line = a + i * n * slot;
            const numbers factor = divide(lane_load(line + k * slot), pivot);
            lane_store(factor, line + k * slot);
            for (std::int64_t j = k + 1; j < n; ++j) {
                const numbers x = lane_load(a + (k * n + j) * slot);
                lane_store(subtract_product(lane_load(line + j * slot), factor, x),
                           line + j * slot);
            }
        }
    }
    return good;
}

HWY_INLINE real_numbers without_imaginary(real_numbers x) { return x; }
HWY_INLINE complex_numbers without_imaginary(complex_numbers x) {
    return {x.re, hn::Zero(part_tag())};
}
HWY_INLINE real_numbers divide_by_real(real_numbers x, part_vector d) { return {hn::Div(x.re, d)}; }
HWY_INLINE complex_numbers divide_by_real(complex_numbers x, part_vector d) {
    return {hn::Div(x.re, d), hn::Div(x.im, d)};
}

template <int fixed>
HWY_INLINE bool factor_cholesky_lanes(std::int64_t any_n, part* a, std::int64_t* failed) {
    const std::int64_t n = fixed != 0 ? fixed : any_n;
    bool good = true;
    for (std::int64_t j = 0; j < n; ++j) {
        const part* const row = a + j * n * slot;
        part_vector root = hn::Zero(part_tag());
        for (std::int64_t i = j; i < n; ++i) {
            part* const line = a + i * n * slot;
            numbers sum = lane_load(line + j * slot);
            for (std::int64_t k = 0; k < j; ++k)
                sum = subtract_product(sum, lane_load(line + k * slot),
                                       conjugate(lane_load(row + k * slot)));
            if (i == j) {
                sum = without_imaginary(sum);
                if (!is_good(sum.re)) {
                    good = false;
                    note_failures(sum.re, j, failed);
                }
                sum.re = root = hn::Sqrt(sum.re);
            } else {
                sum = divide_by_real(sum, root);
            }
            lane_store(sum, line + j * slot);
        }
    }
    return good;
}

template <int fixed>
HWY_INLINE void substitute_lane_vector(std::int64_t any_n, std::int64_t columns, const part* t,
                                       std::int64_t row_step, std::int64_t column_step, bool unit,
                                       bool conjugated, part* b, std::int64_t b_step,
                                       std::int64_t b_column) {
    const std::int64_t n = fixed != 0 ? fixed : any_n;
    const auto factor = [&](const part* p) HWY_ATTR RICCI_INLINE_LAMBDA {
        const numbers x = lane_load(p);
        return conjugated ? conjugate(x) : x;
    };
    for (std::int64_t i = 0; i < n; ++i) {
        const part* const line = t + i * row_step;
        for (std::int64_t r = 0; r < columns; ++r) {
            part* const x = b + r * b_column;
            numbers sum = lane_load(x + i * b_step);
            for (std::int64_t k = 0; k < i; ++k)
                sum = subtract_product(sum, factor(line + k * column_step),
                                       lane_load(x + k * b_step));
            if (!unit) sum = divide(sum, factor(line + i * column_step));
            lane_store(sum, x + i * b_step);
        }
    }
}

// Calls go(fixed) with n as a constant where it is small, otherwise with 0.
template <class Go>
HWY_INLINE auto with_fixed(std::int64_t n, Go go) {
    switch (n) {
        case 2:
            return go(std::integral_constant<int, 2>());
        case 3:
            return go(std::integral_constant<int, 3>());
        case 4:
            return go(std::integral_constant<int, 4>());
        default:
            return go(std::integral_constant<int, 0>());
    }
}

bool factor_lu(std::int64_t n, part* a, lane_integer<number>* pivots, std::int64_t* failed) {
    return with_fixed(n, [&](auto fixed) HWY_ATTR {
        bool good = true;
        for (std::int64_t l = 0; l < group; l += lane_count)
            good =
                factor_lu_lanes<decltype(fixed)::value>(n, a + l, pivots + l, failed + l) && good;
        return good;
    });
}

bool factor_cholesky(std::int64_t n, part* a, std::int64_t* failed) {
    return with_fixed(n, [&](auto fixed) HWY_ATTR {
        bool good = true;
        for (std::int64_t l = 0; l < group; l += lane_count)
            good = factor_cholesky_lanes<decltype(fixed)::value>(n, a + l, failed + l) && good;
        return good;
    });
}

void substitute_lanes(std::int64_t n, std::int64_t columns,
                      const interleaved_matrix<number>& triangle, bool unit, bool conjugated,
                      const interleaved_matrix<number>& b) {
    with_fixed(n, [&](auto fixed) HWY_ATTR {
        for (std::int64_t l = 0; l < group; l += lane_count)
            substitute_lane_vector<decltype(fixed)::value>(
                n, columns, triangle.data + l, triangle.row * slot, triangle.column * slot, unit,
                conjugated, b.data + l, b.row * slot, b.column * slot);
    });
}

void exchange_lanes(std::int64_t n, std::int64_t columns, const lane_integer<number>* pivots,
                    bool backwards, part* b) {
    for (std::int64_t l = 0; l < group; l += lane_count)
        for (std::int64_t step = 0; step < n; ++step) {
            const std::int64_t k = backwards ? n - 1 - step : step;
            exchange_row(n, columns, k, hn::LoadU(bits_tag(), pivots + k * group + l), b + l);
        }
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
