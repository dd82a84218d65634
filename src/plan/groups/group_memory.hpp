// How much memory a task of a fused group takes, so that none is planned that cannot be run.
#pragma once

#include "src/steps/fused.hpp"
#include "src/steps/packed_rows.hpp"

namespace ricci::plan {

using namespace steps;

/// Bytes that the tiles, packed rows and sums of a group take at most, on any processor: with the
/// widest tiles there are.
double most_bytes_of(const fused_group&);

/// What a task may take of them.
constexpr double task_room = static_cast<double>(steps::most_task_bytes);

}  // namespace ricci::plan
