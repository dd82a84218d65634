// A block of k: what is packed and multiplied at once, and how the operands are read in it.
#pragma once

#include <cstdint>

namespace ricci::contractions {

struct k_block {
    std::int64_t first = 0, end = 0;
    std::int64_t a_step = 0;  // of A, which is read in place; 0: it is packed
    std::int64_t b_step = 0;  // of B, which can be read in place; 0: it cannot

    std::int64_t depth() const { return end - first; }
};

}  // namespace ricci::contractions
