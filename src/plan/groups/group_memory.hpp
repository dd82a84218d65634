// How much memory of a worker a fused group takes, so that none is planned that cannot be run.
#pragma once

#include "src/steps/fused.hpp"

namespace ricci::plan {

using namespace steps;

/// Bytes that the tiles, packed rows and sums of a group take at most, on any processor: with the
/// widest tiles there are.
double most_bytes_of(const fused_group&);

/// What a worker has of them; src/runtime/buffers.hpp.
constexpr double worker_room = 2 << 20;

}  // namespace ricci::plan
