// A tile of extrema with their places. Extrema are folded as without; after every few k those that
// have become better are noted, and in the end each one's last few k are searched. The including
// file defines RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_EXTREMUM_PLACES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_EXTREMUM_PLACES_INL_H
#undef RICCI_KERNELS_EXTREMUM_PLACES_INL_H
#else
#define RICCI_KERNELS_EXTREMUM_PLACES_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/algebra/extremum-tile-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using place_tag = hn::RebindToSigned<full_tag>;
using lane_place = hn::TFromD<place_tag>;

// So many k are searched again for each element, one after the other.
constexpr std::int64_t noted_depth = 8;

/// The first of noted_depth k whose term is `best`.
HWY_INLINE std::int64_t place_among(const element_type* HWY_RESTRICT a,
                                    const element_type* HWY_RESTRICT b, std::int64_t b_step,
                                    element_type best) {
    std::int64_t found = noted_depth - 1;
    // Without branches, which nobody could predict.
    RICCI_UNROLL
    for (std::int64_t k = noted_depth - 2; k >= 0; --k)
        found = a[k] + b[k * b_step] == best ? k : found;
    return found;
}

template <class Fold, int rows, int vectors>
void extremum_and_place_of_tile(std::int64_t depth, const element_type* a, const element_type* b,
                                std::int64_t b_step, const extremum_tile<element_type>& out) {
    const full_tag d;
    const place_tag d_place;
    using vector = hn::Vec<full_tag>;
    constexpr int width = vectors * lane_count;
    HWY_ALIGN element_type before[rows * width];
    HWY_ALIGN lane_place noted[rows * width];
    stored_vector best[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            best[i][v] = hn::Set(d, Fold::none);
            hn::Store(vector(best[i][v]), d, before + i * width + v * lane_count);
            hn::Store(hn::Zero(d_place), d_place, noted + i * width + v * lane_count);
        }
    }
    for (std::int64_t k = 0; k < depth; k += noted_depth) {
        fold_depth<Fold>(HWY_MIN(noted_depth, depth - k), a + k, b + k * b_step, b_step, best);
        const auto here = hn::Set(d_place, static_cast<lane_place>(k));
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const int at = i * width + v * lane_count;
                const auto better = Fold::is_better(vector(best[i][v]), hn::Load(d, before + at));
                hn::BlendedStore(here, hn::RebindMask(d_place, better), d_place, noted + at);
                hn::Store(vector(best[i][v]), d, before + at);
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        element_type* const c = out.c + out.rows[i];
        place* const places = out.places + out.rows[i];
        for (int j = 0; j < out.column_count; ++j) {
            const element_type value = before[i * width + j];
            const std::int64_t column = out.columns[j];
            if (out.joins && !Fold::is_better_number(value, c[column])) continue;
            // The last ones are fewer: the search begins before them.
            const std::int64_t first = noted[i * width + j];
            const element_type* const row = a + i * pitch + first;
            const element_type* const side = b + first * b_step + j;
            std::int64_t found = 0;
            if (first + noted_depth <= depth) found = place_among(row, side, b_step, value);
            else while (row[found] + side[found * b_step] != value) ++found;
            c[column] = value;
            places[column] = static_cast<place>(out.first_place + first + found);
        }
    }
}

/// A tile in which terms may be NaN, one element after the other; with places where they are asked
/// for.
template <class Fold>
void careful_tile(int rows, std::int64_t depth, const element_type* a, const element_type* b,
                  std::int64_t b_step, const extremum_tile<element_type>& out) {
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < out.column_count; ++j) {
            const std::int64_t at = out.rows[i] + out.columns[j];
            element_type best = out.joins ? out.c[at] : a[i * pitch] + b[j];
            std::int64_t found = out.joins ? -1 : 0;
            for (std::int64_t k = out.joins ? 0 : 1; k < depth; ++k) {
                const element_type x = a[i * pitch + k] + b[k * b_step + j];
                if (!takes_over<Fold>(x, best)) continue;
                best = x;
                found = k;
            }
            if (found < 0) continue;
            out.c[at] = best;
            if (out.places != nullptr)
                out.places[at] = static_cast<place>(out.first_place + found);
        }
    }
}

/// What n elements are, as bits of panel_content.
unsigned content(std::int64_t n, const element_type* x) {
    const full_tag d;
    using vector = hn::Vec<full_tag>;
    constexpr element_type infinity = maximum_fold::none * -1;
    vector most = hn::Set(d, -infinity), least = hn::Set(d, infinity);
    std::int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) {
        const vector value = hn::LoadU(d, x + i);
        most = join_all<maximum_fold>(value, most);
        least = hn::Min(value, least);
    }
    HWY_ALIGN element_type lanes[2][HWY_MAX_BYTES / sizeof(element_type)];
    hn::Store(most, d, lanes[0]);
    hn::Store(least, d, lanes[1]);
    unsigned found = 0;
    const auto look_at = [&](element_type high, element_type low) {
        if (high != high) found |= has_nan;
        if (high == infinity) found |= has_plus_infinity;
        if (low == -infinity) found |= has_minus_infinity;
    };
    if (n >= lane_count)
        for (int l = 0; l < lane_count; ++l) look_at(lanes[0][l], lanes[1][l]);
    for (; i < n; ++i) look_at(x[i], x[i]);
    return found;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
