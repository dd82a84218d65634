// The numbers of tiles while the sweeps that make them are open.
#pragma once

#include <cstdint>

#include "src/steps/fused.hpp"

namespace ricci::plan {

using namespace steps;

/// Products are numbered as they are found, the weights of softmaxes from here on.
inline constexpr std::int32_t weights_base = 1 << 20;

inline bool is_tile(const instruction& i) { return i.code == opcode::load && i.operand < -1; }
inline std::int32_t tile_number(const instruction& i) { return -2 - i.operand; }

}  // namespace ricci::plan
