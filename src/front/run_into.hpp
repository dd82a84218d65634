// A run whose outputs go to memory of the caller, for faces that have no other way to say so.
#pragma once

#include <ricci/program.hpp>

namespace ricci::detail {

/// As run(), where outputs and what is computed on the way may be bound as well: these are written
/// to that memory, and the others returned. Throws what prepare() does.
arrays run_into(const program& p, operand_list operands, const prepare_options& options);

}  // namespace ricci::detail
