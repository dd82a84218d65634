// How little a rank has to send for a product of two matrices: the memory-independent lower bound
// of Al Daas, Ballard, Grigori, Kumar, Rouse: Tight memory-independent parallel matrix
// multiplication communication lower bounds, SPAA 2022.
#pragma once

#include <optional>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>

namespace ricci::mpi {

/// C (rows x columns) = A (rows x inner) B (inner x columns).
struct product_sizes {
    double rows = 1, inner = 1, columns = 1;
};
/// What a program is that is one product and nothing else: each letter in two of the three tensors.
std::optional<product_sizes> product_of(const ir::program_view& p, const ir::shape_table& shapes);

struct product_bound {
    int dimensions = 1;   // of the best grid, where its extents are whole numbers
    double elements = 0;  // that some rank sends or receives
};
/// Of ranks that together begin with one copy of A and B and end with one of C.
product_bound bound_of(const product_sizes& sizes, int ranks);

}  // namespace ricci::mpi
