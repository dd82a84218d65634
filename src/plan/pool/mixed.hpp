// One step of a hash.
#pragma once

#include <cstdint>

namespace ricci::plan {

/// A hash of what `seed` is one of, and a value that follows.
inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
    return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

}  // namespace ricci::plan
