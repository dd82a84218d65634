// How much memory there is, as the system says.
#include "src/runtime/machine_memory.hpp"

#include <unistd.h>

namespace ricci::runtime {

double machine_memory() {
    constexpr double unknown = 1e9;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : unknown;
}

}  // namespace ricci::runtime
