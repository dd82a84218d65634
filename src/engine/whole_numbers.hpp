// Whether the whole numbers of an operand are what a plan takes them for.
#pragma once

#include <cstdint>
#include <optional>

#include "src/engine/nan_search.hpp"

namespace ricci::engine {

/// A number of the tensor below `least` or above `most`, if there is one. The tensor holds i32 or
/// i64.
std::optional<std::int64_t> number_outside(const strided_elements& tensor, std::int64_t least,
                                           std::int64_t most);

}  // namespace ricci::engine
