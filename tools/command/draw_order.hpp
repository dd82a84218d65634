// The cheapest order of the products that a diagram shows.
#pragma once

#include <vector>

#include "command/tensor_table.hpp"
#include "draw/diagram.hpp"

namespace ricci::command {

/// Numbers the products of the best order at the lines that each contracts, and lists them below
/// with the size of each result. `tensors` say the extents of the indices.
void add_order(draw::diagram& d, const ir::program_view& p, const ir::equation& e,
               const std::vector<sized_tensor>& tensors);

}  // namespace ricci::command
