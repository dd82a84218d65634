// A tensor of a scaled network while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/scaled/block_indices.hpp"

namespace ricci::networks {

/// What it is worth is its elements * 2^exponent, with an exponent for each of its blocks.
struct scaled_tensor {
    block_table table;
    const std::int64_t* exponents = nullptr;
    std::int64_t* own_exponents = nullptr;  // the same, of what steps make
    std::byte* memory = nullptr;            // of what steps make
};

/// An index in up to three tables of exponents.
struct table_loop {
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0;
};

/// Visits all places of the loops, the last one fastest, with an offset in each table.
template <class Visit>
void each_place(std::span<const table_loop> loops, const Visit& visit, std::int64_t a = 0,
                std::int64_t b = 0, std::int64_t c = 0) {
    if (loops.empty()) return visit(a, b, c);
    for (std::int64_t k = 0; k < loops[0].extent; ++k)
        each_place(loops.subspan(1), visit, a + k * loops[0].a, b + k * loops[0].b,
                   c + k * loops[0].c);
}

}  // namespace ricci::networks
