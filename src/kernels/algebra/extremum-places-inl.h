// Tiles of extrema with their places, both in registers: for half the rows at a time, since they
// take twice as many. And tiles of any terms, NaN too, one element after the other. The including
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

// Rows whose extrema and places fit into registers together.
constexpr int rows_with_places = tile_rows == 8 ? 4 : 2;

/// Writes `rows` rows of extrema and places, `width` elements a row, where C holds none as good.
template <class Fold>
HWY_NOINLINE void write_with_places(const element_type* values, const lane_place* found, int width,
                                    int first_row, int rows,
                                    const extremum_tile<element_type>& out) {
    for (int i = 0; i < rows; ++i, values += width, found += width) {
        const std::int64_t row = out.rows[first_row + i];
        for (int j = 0; j < out.column_count;) {
            const std::int64_t at = row + out.columns[j];
            const int adjacent = HWY_MIN(out.column_runs[j], out.column_count - j);
            if (!out.joins) {
                for (int x = 0; x < adjacent; ++x) out.c[at + x] = values[j + x];
                for (int x = 0; x < adjacent; ++x)
                    out.places[at + x] = static_cast<place>(out.first_place + found[j + x]);
            } else {
                for (int x = 0; x < adjacent; ++x) {
                    if (!Fold::is_better_number(values[j + x], out.c[at + x])) continue;
                    out.c[at + x] = values[j + x];
                    out.places[at + x] = static_cast<place>(out.first_place + found[j + x]);
                }
            }
            j += adjacent;
        }
    }
}

/// Rows from `first_row` on, with their places in registers.
template <class Fold, int rows, int vectors>
HWY_INLINE void fold_rows_with_places(int first_row, std::int64_t depth, const element_type* a,
                                      const element_type* b, std::int64_t b_step,
                                      const extremum_tile<element_type>& out) {
    const full_tag d;
    const place_tag d_place;
    using vector = hn::Vec<full_tag>;
    using place_vector = hn::Vec<place_tag>;
    constexpr int width = vectors * lane_count;
    a += first_row * pitch;
    stored_vector best[rows][vectors];
    stored<place_vector> found[rows][vectors];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            best[i][v] = hn::Set(d, Fold::none);
            found[i][v] = hn::Zero(d_place);
        }
    }
    for (std::int64_t k = 0; k < depth; ++k) {
        const place_vector here = hn::Set(d_place, static_cast<lane_place>(k));
        stored_vector right[vectors];
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + k * b_step + v * lane_count);
        RICCI_UNROLL
        for (int i = 0; i < rows; ++i) {
            const vector left = hn::Set(d, a[i * pitch + k]);
            RICCI_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const vector term = hn::Add(left, vector(right[v]));
                const auto better = Fold::is_better(term, vector(best[i][v]));
                best[i][v] = Fold::join(term, vector(best[i][v]));
                found[i][v] = hn::IfThenElse(hn::RebindMask(d_place, better), here,
                                             place_vector(found[i][v]));
            }
        }
    }
    HWY_ALIGN element_type values[rows * width];
    HWY_ALIGN lane_place places[rows * width];
    RICCI_UNROLL
    for (int i = 0; i < rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < vectors; ++v) {
            hn::Store(vector(best[i][v]), d, values + i * width + v * lane_count);
            hn::Store(place_vector(found[i][v]), d_place, places + i * width + v * lane_count);
        }
    }
    write_with_places<Fold>(values, places, width, first_row, rows, out);
}

template <class Fold, int rows, int vectors>
void extremum_and_place_of_tile(std::int64_t depth, const element_type* a, const element_type* b,
                                std::int64_t b_step, const extremum_tile<element_type>& out) {
    constexpr int rest = rows % rows_with_places;
    for (int i = 0; i + rows_with_places <= rows; i += rows_with_places)
        fold_rows_with_places<Fold, rows_with_places, vectors>(i, depth, a, b, b_step, out);
    if constexpr (rest > 0)
        fold_rows_with_places<Fold, rest, vectors>(rows - rest, depth, a, b, b_step, out);
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
            if (out.places != nullptr) out.places[at] = static_cast<place>(out.first_place + found);
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
