// Where files of the sources lie that a test reads.
#pragma once

#include <filesystem>

namespace ricci::testing {

/// The file of the sources that __FILE__ says, wherever the program is run. Compilers are told
/// paths from the folder that is built in, and programs of tests lie one folder below it.
inline std::filesystem::path source_file(const char* file) {
    const std::filesystem::path path(file);
    if (path.is_absolute()) return path;
    std::error_code none;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
    const auto there = program.parent_path().parent_path() / path;
    return !none && std::filesystem::exists(there, none) ? there : path;
}

}  // namespace ricci::testing
