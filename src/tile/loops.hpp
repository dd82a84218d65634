// The loops of a map in canonical form: no loop of one iteration, adjacent loops fused where every
// operand allows it, steps of one sign, the free and the folded loops apart.
#pragma once

#include <cstdint>
#include <vector>

#include "src/steps/map.hpp"

namespace ricci::elementwise {

/// One loop and how far each operand moves when it advances by one.
struct loop {
    std::int64_t extent = 1;
    std::vector<std::int64_t> stride;
};

struct loop_nest {
    std::vector<loop> free;            // slowest first
    std::vector<loop> folded;          // slowest first
    std::vector<std::int64_t> offset;  // of each operand
    std::vector<std::int32_t> tensor;  // that each operand reads; equal numbers: the same one
    std::int64_t outputs = 1;          // iterations of the free loops
    std::int64_t values = 1;           // iterations of the folded loops
};

/// `used[k]`: operand k is the output or read by the program; the others are left out of account.
/// Throws std::invalid_argument when the description contradicts itself.
loop_nest canonical_loops(const steps::map& map, const std::vector<bool>& used);

}  // namespace ricci::elementwise
