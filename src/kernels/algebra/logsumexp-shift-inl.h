// Exponentials of operands that are shifted by the maxima of their lines, for an ordinary product
// of them, and the logarithms of its sums. The including file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_LOGSUMEXP_SHIFT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LOGSUMEXP_SHIFT_INL_H
#undef RICCI_KERNELS_LOGSUMEXP_SHIFT_INL_H
#else
#define RICCI_KERNELS_LOGSUMEXP_SHIFT_INL_H
#endif

#include <cmath>
#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/algebra/logsumexp-lines-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// A vector of `count` k of one line, from k on.
HWY_INLINE hn::Vec<full_tag> load_along(const operand_lines<element_type>& from,
                                        const element_type* line, std::int64_t k, int count) {
    const full_tag d;
    if (from.along_runs[k] >= count) return load_any(line + from.along[k], 1, count);
    HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)] = {};
    for (int l = 0; l < count; ++l) lanes[l] = line[from.along[k + l]];
    return hn::Load(d, lanes);
}

HWY_INLINE bool is_finite(element_type x) { return std::abs(x) < positive_infinity; }

void shift_along(const operand_lines<element_type>& from, element_type* to, element_type* shifts) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    const vector none = hn::Set(d, -positive_infinity);
    for (std::int64_t x = 0; x < from.width; ++x, to += from.depth) {
        const element_type* const line = from.origin + from.across[x];
        vector most = none;
        for (std::int64_t k = 0; k < from.depth; k += lane_count) {
            const int count = static_cast<int>(HWY_MIN(from.depth - k, std::int64_t{lane_count}));
            vector value = load_along(from, line, k, count);
            if (count < lane_count)
                value = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count)), value, none);
            most = join_all<maximum_fold>(value, most);
        }
        HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)];
        hn::Store(most, d, lanes);
        element_type shift = lanes[0];
        for (int l = 1; l < lane_count; ++l)
            if (takes_over<maximum_fold>(lanes[l], shift)) shift = lanes[l];
        shifts[x] = shift;
        const bool finite = is_finite(shift);
        for (std::int64_t k = 0; k < from.depth; k += lane_count) {
            const int count = static_cast<int>(HWY_MIN(from.depth - k, std::int64_t{lane_count}));
            const vector value =
                finite ? exponential_of_nonpositive(
                             d, hn::Sub(load_along(from, line, k, count), hn::Set(d, shift)))
                       : hn::Zero(d);
            store_lanes(value, to + k, 1, count);
        }
    }
}

void shift_across(const operand_lines<element_type>& from, element_type* to, std::int64_t step,
                  element_type* shifts) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    for (std::int64_t x = 0; x < from.width; x += lane_count) {
        const int count = static_cast<int>(HWY_MIN(from.width - x, std::int64_t{lane_count}));
        const bool adjacent = from.across_runs[x] >= count;
        const auto load = [&](std::int64_t k) HWY_ATTR {
            const element_type* const row = from.origin + from.along[k];
            if (adjacent) return load_any(row + from.across[x], 1, count);
            HWY_ALIGN element_type lanes[HWY_MAX_BYTES / sizeof(element_type)] = {};
            for (int l = 0; l < count; ++l) lanes[l] = row[from.across[x + l]];
            return hn::Load(d, lanes);
        };
        vector most = hn::Set(d, -positive_infinity);
        for (std::int64_t k = 0; k < from.depth; ++k)
            most = join_all<maximum_fold>(vector(load(k)), most);
        store_lanes(most, shifts + x, 1, count);
        const auto finite = hn::Lt(hn::Abs(most), hn::Set(d, positive_infinity));
        for (std::int64_t k = 0; k < from.depth; ++k) {
            const vector value = exponential_of_nonpositive(d, hn::Sub(load(k), most));
            store_lanes(hn::IfThenElseZero(finite, value), to + k * step + x, 1, count);
        }
    }
}

/// Finishes one sum; whether it is exact.
HWY_INLINE bool finish_one(element_type& sum, element_type row_shift, element_type column_shift,
                           element_type least) {
    const bool is_none = row_shift == -positive_infinity || column_shift == -positive_infinity;
    const element_type shift = row_shift + column_shift;
    if (is_none) {
        sum = shift;
        return shift == -positive_infinity;
    }
    if (!is_finite(row_shift) || !is_finite(column_shift) || !(sum >= least)) return false;
    sum = hn::GetLane(logarithm(full_tag(), hn::Set(full_tag(), sum))) + shift;
    return true;
}

std::int64_t finish(const shifted_row<element_type>& row, std::int32_t* redo) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    const vector infinity = hn::Set(d, positive_infinity);
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < row.width;) {
        const int count = static_cast<int>(HWY_MIN(row.width - j, std::int64_t{lane_count}));
        if (row.column_runs[j] >= count && is_finite(row.row_shift)) {
            element_type* const c = row.c + row.columns[j];
            vector sum = load_any(c, 1, count);
            const vector column = load_any(row.column_shifts + j, 1, count);
            if (count < lane_count)
                sum = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count)), sum,
                                     hn::Set(d, row.least));
            const auto exact =
                hn::And(hn::Ge(sum, hn::Set(d, row.least)), hn::Lt(hn::Abs(column), infinity));
            if (HWY_LIKELY(hn::AllTrue(d, exact))) {
                const vector shift = hn::Add(hn::Set(d, row.row_shift), column);
                store_lanes(hn::Add(logarithm(d, sum), shift), c, 1, count);
                j += count;
                continue;
            }
        }
        // A vector's worth one by one.
        for (const std::int64_t end = j + count; j < end; ++j) {
            if (!finish_one(row.c[row.columns[j]], row.row_shift, row.column_shifts[j], row.least))
                redo[found++] = static_cast<std::int32_t>(j);
        }
    }
    return found;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
