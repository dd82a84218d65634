// The table of the kernels of factorisations and triangular solves for every SIMD target. The
// including file defines RICCI_LINEAR_TYPE.
#if defined(RICCI_KERNELS_LINEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINEAR_INL_H
#undef RICCI_KERNELS_LINEAR_INL_H
#else
#define RICCI_KERNELS_LINEAR_INL_H
#endif

#include <hwy/highway.h>

#include "src/kernels/linear/columns-inl.h"
#include "src/kernels/linear/lanes-inl.h"
#include "src/kernels/linear/linear.hpp"
#include "src/kernels/linear/substitution-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

linear_table<number> make_linear_table() {
    linear_table<number> table;
    table.target = hwy::TargetName(HWY_TARGET);
    table.lanes = lane_count;
    table.triangle_rows = block_rows;
    table.panel_vectors = panel_vectors;
    table.subtract_columns = &subtract_columns;
    table.subtract_from_columns = &subtract_from_columns;
    table.find = &find_magnitude;
    table.divide = &divide_column;
    table.substitute[0] = &substitute<1>;
    table.substitute[1] = &substitute<2>;
    if constexpr (panel_vectors > 2) table.substitute[2] = &substitute<panel_vectors>;
    table.read_panel = &read_panel;
    table.write_panel = &write_panel;
    table.factor_lu = &factor_lu;
    table.factor_cholesky = &factor_cholesky;
    table.substitute_lanes = &substitute_lanes;
    table.exchange_lanes = &exchange_lanes;
    return table;
}

const linear_table<number>* linear_target_table() {
    static const linear_table<number> table = make_linear_table();
    return &table;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
