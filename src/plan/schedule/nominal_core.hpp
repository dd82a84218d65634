// A nominal core, in whose cycles the planner says what things cost: it multiplies two vectors of
// 32 bytes and moves sixteen bytes in a cycle, four times as many within its cache, and takes
// sixteen cycles to begin something. They say which of two is cheaper, not how long it takes.
#pragma once

#include <algorithm>
#include <vector>

#include <ricci/element.hpp>

#include "src/steps/instruction.hpp"

#include "src/kernels/elementwise/price.hpp"

namespace ricci::plan {

inline constexpr double vector_bytes = 32, vectors_a_cycle = 2;
inline constexpr double bytes_a_cycle = 16, start_cycles = 16;

/// Elements of a type in memory, and in the vectors that compute with it.
struct numbers {
    explicit numbers(element type)
        : bytes(static_cast<double>(size_of(type))),
          lanes(vector_bytes / std::max(bytes, 4.0)),
          multiplications(is_complex(type) ? 4 : 1) {}
    double bytes, lanes, multiplications;
};

/// Of loops one within another.
template <class Loop>
double iterations_of(const std::vector<Loop>& loops) {
    double count = 1;
    for (const Loop& l : loops) {
        if constexpr (requires { l.extent; }) count *= static_cast<double>(l.extent);
        else count *= static_cast<double>(l);
    }
    return count;
}

/// An operation on a vector, in multiplications of vectors.
inline double price_of(steps::opcode code, const numbers& of) {
    using kernels::function_price;
    switch (kernels::price_of(code)) {
        case function_price::quick:
            return 1;
        case function_price::division:
            return 4;
        case function_price::exponential:
            return 12;
        case function_price::series:
            return 24;
        case function_price::each_lane:
            return 16 * of.lanes;
    }
    return 1;
}

}  // namespace ricci::plan
