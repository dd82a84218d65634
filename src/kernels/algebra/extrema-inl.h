// The tables of extrema's kernels in Highway for every SIMD target. The including file defines
// RICCI_ALGEBRA_TYPE.
#if defined(RICCI_KERNELS_EXTREMA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_EXTREMA_INL_H
#undef RICCI_KERNELS_EXTREMA_INL_H
#else
#define RICCI_KERNELS_EXTREMA_INL_H
#endif

#include <hwy/highway.h>

#include "src/kernels/algebra/extrema.hpp"
#include "src/kernels/algebra/extremum-lines-inl.h"
#include "src/kernels/algebra/extremum-places-inl.h"
#include "src/kernels/algebra/extremum-tile-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

template <class Fold, int rows, int vectors>
void add_extremum_tiles(extremum_table<element_type>& table) {
    table.tile[rows - 1][vectors - 1] = &extremum_of_tile<Fold, rows, vectors>;
    table.tile_places[rows - 1][vectors - 1] = &extremum_and_place_of_tile<Fold, rows, vectors>;
    if constexpr (vectors > 1) add_extremum_tiles<Fold, rows, vectors - 1>(table);
    else if constexpr (rows > 1) add_extremum_tiles<Fold, rows - 1, tile_vectors>(table);
}

template <class Fold>
extremum_table<element_type> make_extremum_table() {
    extremum_table<element_type> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.rows = tile_rows;
    table.vectors = tile_vectors;
    add_extremum_tiles<Fold, tile_rows, tile_vectors>(table);
    table.careful_tile = &careful_tile<Fold>;
    table.content = &content;
    table.line = &extremum_line<Fold>;
    table.along = &extremum_along<Fold>;
    return table;
}

const extremum_table<element_type>* target_maximum_table() {
    static const extremum_table<element_type> table = make_extremum_table<maximum_fold>();
    return &table;
}

const extremum_table<element_type>* target_minimum_table() {
    static const extremum_table<element_type> table = make_extremum_table<minimum_fold>();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
