// Bytes that this rank has handed to collectives.
#pragma once

#include <cstdint>

namespace ricci::testing {

/// Those since the last call.
std::int64_t take_counted_bytes();

}  // namespace ricci::testing
