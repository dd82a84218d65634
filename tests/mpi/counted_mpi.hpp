// Bytes that this rank has handed to collectives, and memory that it has asked for.
#pragma once

#include <cstdint>

namespace ricci::testing {

/// Those since the last call.
std::int64_t take_counted_bytes();
/// The same: how often.
std::int64_t take_counted_allocations();

}  // namespace ricci::testing
