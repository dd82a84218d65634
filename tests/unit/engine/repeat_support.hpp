// What the tests of layers share: texts read, and numbers to run them on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"

namespace ricci::testing {

using names = std::vector<std::string>;
using extents = std::vector<std::size_t>;

inline program parsed(const std::string& text) {
    auto read = parse(text);
    INFO(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

inline double next(std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
}

template <class T>
array filled(const extents& e, std::uint64_t& state) {
    array a(element_v<T>, e);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<T*>(a.data())[k] = static_cast<T>(next(state) - 0.4);
    return a;
}

}  // namespace ricci::testing
