// Where intermediates live: one block of memory that they share by the time they are needed.
#pragma once

#include <cstddef>
#include <span>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Bytes that the start of every intermediate is aligned to.
inline constexpr std::size_t workspace_alignment = 64;

/// Sets the offset of every workspace slot and the size of the block. Two slots share bytes only
/// when no step comes between the first use of one and the last use of the other, and neither
/// lasts. Throws ricci::error when the sizes overflow.
///
/// `part_ends`: steps before the last of them run in parts, each up to one of the ends, at the same
/// time as the others; what two parts use shares no bytes. Steps behind them run after all parts.
void lay_out_workspace(program_plan& plan, std::span<const std::size_t> part_ends = {});

}  // namespace ricci::plan
