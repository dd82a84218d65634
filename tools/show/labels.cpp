// Reads a file of labels.
#include "show/labels.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include <ricci/error.hpp>

namespace ricci::show {

std::vector<std::string> read_labels(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        all.push_back(line);
    }
    // folders open, and fail only when they are read
    if (!file.eof())
        throw error(fmt::format("ricci: {}: it cannot be read: {}.", path,
                                std::strerror(errno != 0 ? errno : EIO)));
    return all;
}

}  // namespace ricci::show
