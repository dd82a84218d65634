// How much of an axis is read, where arithmetic of letters says the places.
#pragma once

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::plan {

/// Throws ricci::error where an axis is longer than all its places reach although nothing else says
/// what its other places are: a table of differences b_{i-j}, the x of a causal convolution, and
/// x_{i+1} - x_i with an i that ends before x does. Where two tables of one axis have their middles
/// at different places; and where the extents of x_i x_{i+k} are anybody's guess.
void check_reach(const ir::program_view& program, const ir::shape_table& shapes);

}  // namespace ricci::plan
