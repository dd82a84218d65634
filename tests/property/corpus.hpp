// The programs of the literature that the tests read, run and differentiate.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/source_file.hpp"

namespace ricci::testing {

/// The texts in tests/corpus/: programs with an empty line between, comments start with #.
inline std::vector<std::string> corpus() {
    std::vector<std::string> out;
    const auto folder = source_file(__FILE__).parent_path().parent_path() / "corpus";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(file.path());
        std::string line, text;
        while (std::getline(in, line)) {
            if (!line.empty() && line[0] == '#') continue;
            if (!line.empty()) text += line + "\n";
            else if (!text.empty()) out.push_back(std::exchange(text, ""));
        }
        if (!text.empty()) out.push_back(text);
    }
    return out;
}

}  // namespace ricci::testing
