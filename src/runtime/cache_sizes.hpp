// The caches of the machine that the program runs on.
#pragma once

#include <cstdint>

namespace ricci::runtime {

/// Bytes that one core has for data, in its first and second cache. Where the system does not say,
/// what most processors of the last ten years have at least.
struct cache_sizes {
    std::int64_t first = std::int64_t{32} << 10;
    std::int64_t second = std::int64_t{512} << 10;
};

/// Asked for once; the same for the whole run.
const cache_sizes& caches();

}  // namespace ricci::runtime
