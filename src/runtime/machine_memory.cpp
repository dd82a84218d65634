// How much memory there is, as the system says.
#include "src/runtime/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace ricci::runtime {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number behind a word in a file of the system, or `otherwise`.
double number_after(const char* path, const std::string& word, double otherwise) {
    std::ifstream file(path);
    std::string key;
    double value = 0;
    while (file >> key >> value) {
        if (key == word) return value;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return otherwise;
}

double number_in(const char* path, double otherwise) {
    std::ifstream file(path);
    double value = 0;
    return file >> value ? value : otherwise;
}

// What a group of processes still has, where it has a limit: pages of files can be dropped.
double left_in_group() {
    const double most = number_in("/sys/fs/cgroup/memory.max", unlimited);
    if (most == unlimited) return unlimited;
    const double used = number_in("/sys/fs/cgroup/memory.current", 0) -
                        number_after("/sys/fs/cgroup/memory.stat", "inactive_file", 0);
    return std::max(most - std::max(used, 0.0), 0.0);
}

}  // namespace

double machine_memory() {
    constexpr double unknown = 1e9;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : unknown;
}

double free_memory() {
    const double available = 1024 * number_after("/proc/meminfo", "MemAvailable:", unlimited);
    return std::min({available, left_in_group(), machine_memory()});
}

}  // namespace ricci::runtime
