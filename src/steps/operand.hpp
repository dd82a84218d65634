// How the loops of a step walk one of its operands. Strides and offsets count elements.
#pragma once

#include <cstdint>
#include <vector>

namespace ricci::steps {

/// How one operand of a map is walked: address = base + offset + sum over loops of stride *
/// counter.
struct operand {
    std::int64_t offset = 0;
    std::vector<std::int64_t> strides;  // one for each loop
};

}  // namespace ricci::steps
