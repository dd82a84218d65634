// What the system says of the processor's caches.
#include "src/runtime/cache_sizes.hpp"

#include <unistd.h>

#include <algorithm>

namespace ricci::runtime {
namespace {

#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
// What a system without an answer says is 0 or less, and what virtual machines say may be anything.
void ask(int name, std::int64_t least, std::int64_t most, std::int64_t& bytes) {
    const long said = sysconf(name);
    if (said > 0) bytes = std::clamp<std::int64_t>(said, least, most);
}

cache_sizes measure() {
    cache_sizes sizes;
    ask(_SC_LEVEL1_DCACHE_SIZE, std::int64_t{16} << 10, std::int64_t{256} << 10, sizes.first);
    ask(_SC_LEVEL2_CACHE_SIZE, std::int64_t{128} << 10, std::int64_t{16} << 20, sizes.second);
    return sizes;
}
#else
cache_sizes measure() { return {}; }
#endif

}  // namespace

const cache_sizes& caches() {
    static const cache_sizes sizes = measure();
    return sizes;
}

}  // namespace ricci::runtime
