// Networks of text files with the values of their tensors: instances/NAME.txt, values/NAME.KIND.val.
#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

namespace ricci::bench {

/// Shapes of a network in a text file.
struct instance {
    std::vector<std::vector<std::int64_t>> operands;
    std::vector<std::int64_t> open;
    std::map<std::int64_t, std::size_t> extents;
    std::size_t usual = 2;
    std::size_t extent(std::int64_t index) const {
        const auto found = extents.find(index);
        return found == extents.end() ? usual : found->second;
    }
};

inline std::ifstream opened(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    return in;
}

/// Lines of index numbers, one an operand; `out:` the open indices; `sizes: *=2 17=10`.
inline instance read_instance(const std::string& file) {
    instance made;
    std::ifstream in = opened(file);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        if (line.starts_with("out:")) {
            words.ignore(4);
            for (std::int64_t i; words >> i;) made.open.push_back(i);
        } else if (line.starts_with("sizes:")) {
            words.ignore(6);
            for (std::string w; words >> w;) {
                const auto equals = w.find('=');
                const std::size_t extent = std::stoul(w.substr(equals + 1));
                if (w[0] == '*') made.usual = extent;
                else made.extents[std::stoll(w)] = extent;
            }
        } else {
            made.operands.emplace_back();
            for (std::int64_t i; words >> i;) made.operands.back().push_back(i);
        }
    }
    return made;
}

// Number n of a stream that a seed gives, within -1 and 1.
inline double drawn(std::uint64_t seed, std::uint64_t n) {
    std::uint64_t x = seed + (n + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return 2 * static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 1;
}

struct value_entry {
    std::vector<double> numbers;  // complex: pairs
    bool is_drawn = false;
    std::uint64_t seed = 0;
    double scale = 1;
};

/// The network of an instance with the values of a file.
inline network read_values(const instance& from, const std::string& file) {
    std::ifstream in = opened(file);
    bool is_complex = false;
    std::map<std::size_t, value_entry> entries;
    std::vector<std::size_t> used;
    for (std::string word; in >> word;) {
        if (word[0] == '#') {
            in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        } else if (word == "dtype") {
            in >> word;
            is_complex = word == "c128";
        } else if (word == "entry") {
            std::size_t number = 0;
            std::string line;
            in >> number;
            std::getline(in, line);
            std::istringstream words(line.substr(line.find_first_not_of(" :")));
            value_entry& e = entries[number];
            if (line.find("rand") != std::string::npos) {
                e.is_drawn = true;
                words >> word >> e.seed >> e.scale;
            } else {
                for (double x; words >> x;) e.numbers.push_back(x);
            }
        } else if (word == "ops:") {
            for (std::size_t k; in >> k;) used.push_back(k);
        }
    }
    network made;
    for (std::size_t k = 0; k < from.operands.size(); ++k) {
        std::vector<std::size_t> extents;
        for (const std::int64_t i : from.operands[k]) extents.push_back(from.extent(i));
        array a(is_complex ? element::c128 : element::f64, extents);
        auto* const numbers = static_cast<double*>(a.data());
        const value_entry& e = entries.at(used.at(k));
        const std::size_t count = a.size() * (is_complex ? 2 : 1);
        if (!e.is_drawn && e.numbers.size() != count)
            throw std::runtime_error(fmt::format("operand {} has {} numbers", k, count));
        for (std::size_t n = 0; n < count; ++n)
            numbers[n] = e.is_drawn ? e.scale * drawn(e.seed, n) : e.numbers[n];
        made.add(std::move(a), from.operands[k]);
    }
    made.keep(from.open);
    return made;
}

}  // namespace ricci::bench
