// The blocks of a product find room in the caches for which they were chosen.
#include <algorithm>
#include <cstdint>

#include "src/contract/blocking.hpp"
#include "tests/catch.hpp"

using ricci::contractions::block_sizes;
using ricci::contractions::choose_blocks;
using ricci::contractions::problem_size;

namespace {

constexpr std::int64_t kilobyte = 1024;

struct tile {
    const char* what;
    int lanes, mr, vectors;
    std::size_t bytes;
};
// The micro-kernels' tiles with 128, 256 and 512 bits.
constexpr tile tiles[] = {{"float, SSE4", 4, 6, 2, 4},    {"double, SSE4", 2, 6, 2, 8},
                          {"float, AVX2", 8, 6, 2, 4},    {"double, AVX2", 4, 6, 2, 8},
                          {"float, AVX3", 16, 8, 3, 4},   {"double, AVX3", 8, 8, 3, 8},
                          {"complex double", 4, 4, 3, 16}};
// Of small cores, of Zen 3, of servers with AVX-512.
constexpr ricci::runtime::cache_sizes machines[] = {
    {16 * kilobyte, 128 * kilobyte},  {32 * kilobyte, 256 * kilobyte},
    {32 * kilobyte, 512 * kilobyte},  {32 * kilobyte, 1024 * kilobyte},
    {48 * kilobyte, 2048 * kilobyte}, {256 * kilobyte, 16384 * kilobyte}};

problem_size square(std::int64_t n, const tile& with, const ricci::runtime::cache_sizes& caches) {
    problem_size size;
    size.m = size.n = size.k = n;
    size.lanes = with.lanes;
    size.mr = with.mr;
    size.vectors = with.vectors;
    size.element_bytes = with.bytes;
    size.caches = caches;
    return size;
}

std::int64_t ceil_divide(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

}  // namespace

TEST_CASE("packed rows stay in the second cache, and a panel of them in the first", "[contract]") {
    for (const auto& caches : machines) {
        for (const tile& with : tiles) {
            for (const std::int64_t n : {200, 1000, 4096}) {
                INFO(with.what << ", " << caches.first << " and " << caches.second << " bytes, "
                               << n);
                const block_sizes cut = choose_blocks(square(n, with, caches));
                const auto bytes = static_cast<std::int64_t>(with.bytes);
                // Blocks are cut at multiples of 16 k, tiles at those of whole panels.
                const std::int64_t depth = ceil_divide(ceil_divide(n, 16), cut.k_blocks) * 16;
                const std::int64_t panels = ceil_divide(ceil_divide(n, with.mr), cut.m_tiles);
                CHECK(with.mr * depth * bytes <= caches.first);
                CHECK((panels <= 6 || panels * with.mr * depth * bytes <= caches.second));
                CHECK(depth <= 512);
                // Not cut finer than they need be: C is read and written for every block of k.
                CHECK((cut.k_blocks == 1 || 2 * depth >= 96));
            }
        }
    }
}

TEST_CASE("blocks are no deeper than was asked for", "[contract]") {
    for (const auto& caches : machines) {
        for (const tile& with : tiles) {
            for (const std::int64_t most : {256, 512}) {
                problem_size size = square(3000, with, caches);
                size.most_depth = most;
                const block_sizes cut = choose_blocks(size);
                const std::int64_t depth = ceil_divide(ceil_divide(3000, 16), cut.k_blocks) * 16;
                INFO(with.what << ", " << caches.first << " bytes, " << most);
                CHECK(depth <= (with.bytes > sizeof(double) ? most / 2 : most));
            }
        }
    }
}

TEST_CASE("one tile of rows passes over B where the second cache holds all of A", "[contract]") {
    for (const auto& caches : machines) {
        for (const tile& with : tiles) {
            for (const std::int64_t m : {193, 240, 241, 400}) {
                problem_size size = square(240, with, caches);
                size.m = m;
                size.n = 8064;
                const block_sizes cut = choose_blocks(size);
                INFO(with.what << ", " << caches.second << " bytes, " << m << " rows");
                const std::int64_t depth = ceil_divide(240, cut.k_blocks);
                const bool held =
                    m * depth * static_cast<std::int64_t>(with.bytes) <= caches.second * 3 / 4;
                CHECK((cut.m_tiles == 1) == (held && m <= 240));
            }
        }
    }
}
