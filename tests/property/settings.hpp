// How many random programs a test makes, from which seed: RICCI_PROGRAMS and RICCI_SEED.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "tests/few.hpp"

namespace ricci::testing {

inline unsigned from_environment(const char* variable, unsigned otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}
inline unsigned first_seed() { return from_environment("RICCI_SEED", 1); }
/// RICCI_PROGRAMS makes them more or fewer; without it at most 12 where there are to be few.
inline unsigned program_count(unsigned usual) {
    return from_environment("RICCI_PROGRAMS", few() ? std::min(usual, 12u) : usual);
}

}  // namespace ricci::testing
