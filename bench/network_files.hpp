// Networks of text files: one operand a line, `out:` and `sizes:` at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/path/search.hpp"

namespace ricci::bench {

/// Reads lines of index numbers, one an operand (an index twice: a diagonal, kept once); lines that
/// begin with # are comments; `out:` the open indices; `sizes: *=2 17=10`, * for those not named.
inline path::hypergraph read_network(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + " cannot be read");
    path::hypergraph network;
    std::unordered_map<std::int64_t, std::int32_t> numbers;
    const auto number_of = [&](std::int64_t label) {
        const auto [place, made] = numbers.emplace(label, network.indices());
        if (made) network.extents.push_back(0);
        return place->second;
    };
    double usual = 2;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string word;
        if (line.rfind("sizes:", 0) == 0) {
            words >> word;
            while (words >> word) {
                const std::size_t equals = word.find('=');
                const double extent = std::stod(word.substr(equals + 1));
                if (word[0] == '*') usual = extent;
                else
                    network.extents[static_cast<std::size_t>(
                        number_of(std::stoll(word.substr(0, equals))))] = extent;
            }
        } else if (line.rfind("out:", 0) == 0) {
            words >> word;
            for (std::int64_t label = 0; words >> label;) network.open.push_back(number_of(label));
        } else {
            std::vector<std::int32_t> own;
            for (std::int64_t label = 0; words >> label;) own.push_back(number_of(label));
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            network.members.insert(network.members.end(), own.begin(), own.end());
            network.first.push_back(static_cast<std::int32_t>(network.members.size()));
        }
    }
    for (double& extent : network.extents)
        if (extent == 0) extent = usual;
    return network;
}

}  // namespace ricci::bench
