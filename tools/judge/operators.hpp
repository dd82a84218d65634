// Names that may not commute, as matrices: a proof about the matrices keeps the order of factors.
#pragma once

#include <optional>

#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// Whether two names without indices or with one are multiplied somewhere, or one with itself.
bool multiplies_operators(const ir::program_view& p);

/// The program with every such name as a matrix, of two axes more; nullopt where one stands in a
/// function, below a line, or in a derivative.
std::optional<ir::program> as_matrices(const ir::program_view& p);

}  // namespace ricci::judge
