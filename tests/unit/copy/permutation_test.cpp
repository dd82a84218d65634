// Copies between layouts: every order of axes, gaps and backward strides, on every SIMD target,
// element by element, and nothing written beside the output.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "src/map/map.hpp"
#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"

namespace {

struct target_guard {
    ~target_guard() { ricci::kernels::reset_target(); }
};

// An array of these extents whose axes lie in memory in some order.
struct layout {
    std::vector<std::int64_t> strides;
    std::int64_t origin = 0, size = 1;

    layout(const std::vector<std::int64_t>& extents, std::int64_t stride)
        : strides(extents.size(), stride) {}

    layout(const std::vector<std::int64_t>& extents, std::mt19937& random)
        : strides(extents.size()) {
        std::vector<std::size_t> order(extents.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t axis : order) {
            strides[axis] = size;
            size *= extents[axis];
            if (random() % 4 == 0) size += static_cast<std::int64_t>(random() % 5);
            if (random() % 6 != 0) continue;
            origin += (extents[axis] - 1) * strides[axis];
            strides[axis] = -strides[axis];
        }
    }
};

// Copies from one layout to another, `behind` bytes after where a cache line begins.
template <class T>
void check(const std::vector<std::int64_t>& extents, const layout& from, const layout& to,
           std::size_t behind = 0) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : extents) elements *= extent;
    const auto count = [](const layout& l) { return static_cast<std::size_t>(l.size); };
    std::vector<T> source(count(from)), expected(count(to), T{0});
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::size_t number = i % 1000003 + 1;
        if constexpr (std::is_arithmetic_v<T>) source[i] = static_cast<T>(number);
        else source[i] = static_cast<float>(number);
    }
    std::vector<std::int64_t> at(extents.size(), 0);
    std::int64_t at_from = from.origin, at_to = to.origin;
    for (std::int64_t number = 0; number < elements; ++number) {
        expected[static_cast<std::size_t>(at_to)] = source[static_cast<std::size_t>(at_from)];
        for (std::size_t axis = extents.size(); axis-- > 0;) {
            at_from += from.strides[axis];
            at_to += to.strides[axis];
            if (++at[axis] < extents[axis]) break;
            at_from -= extents[axis] * from.strides[axis];
            at_to -= extents[axis] * to.strides[axis];
            at[axis] = 0;
        }
    }
    const ricci::steps::operand operands[] = {{to.origin, to.strides}, {from.origin, from.strides}};
    ricci::steps::instruction load;
    load.code = ricci::steps::opcode::load;
    load.operand = 1;
    ricci::steps::map copy;
    copy.type = ricci::element_v<T>;
    copy.extents = extents;
    copy.operands = operands;
    copy.program = {&load, 1};
    const ricci::elementwise::prepared_map prepared(copy);
    // Guards of a cache line and more on either side, which stay zero.
    constexpr std::size_t guard = 128;
    const std::size_t bytes = count(to) * sizeof(T);
    std::vector<std::byte> memory(bytes + behind + 3 * guard, std::byte{0});
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    std::byte* const got = memory.data() + (64 - address % 64) % 64 + guard + behind;
    void* const bases[] = {got, source.data()};
    prepared.run(bases);
    // As bytes: c64 may begin where no number of eight bytes does.
    CHECK(std::memcmp(got, expected.data(), bytes) == 0);
    const auto untouched = [](const std::byte* first, const std::byte* last) {
        return std::all_of(first, last, [](std::byte b) { return b == std::byte{0}; });
    };
    CHECK(untouched(memory.data(), got));
    CHECK(untouched(got + bytes, memory.data() + memory.size()));
}

template <class T>
void check(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<std::int64_t> extents;
    std::int64_t elements = 1;
    for (std::size_t rank = 1 + random() % 5; rank > 0; --rank) {
        const std::int64_t most = std::max<std::int64_t>(1, 60000 / elements);
        extents.push_back(
            std::min<std::int64_t>(most, 1 + static_cast<std::int64_t>(random() % 150)));
        elements *= extents.back();
    }
    const layout from(extents, random), to(extents, random);
    check<T>(extents, from, to);
}

// An output of more than eight million bytes, whose axes lie in memory in the order given, slowest
// first; rows of `pitch` elements more than they hold.
template <class T>
void check_large(const std::vector<std::int64_t>& extents, const std::vector<std::size_t>& order,
                 std::int64_t pitch = 0, std::size_t behind = 0) {
    INFO("extents " << Catch::StringMaker<std::vector<std::int64_t>>::convert(extents) << " pitch "
                    << pitch << " behind " << behind);
    layout from(extents, 0), to(extents, 0);
    for (std::size_t k = order.size(); k-- > 0;) {
        to.strides[order[k]] = to.size;
        to.size *= extents[order[k]];
        if (k + 1 == order.size()) to.size += pitch;
    }
    for (std::size_t k = extents.size(); k-- > 0;) {
        from.strides[k] = from.size;
        from.size *= extents[k];
    }
    check<T>(extents, from, to, behind);
}

// The same of a few loops in any order, some of them short.
template <class T>
void check_large(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const std::size_t rank = 3 + random() % 3;
    std::vector<std::int64_t> extents(rank);
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t elements = 1;
    for (std::int64_t& n : extents) {
        n = 2 + static_cast<std::int64_t>(random() % 40);
        elements *= n;
    }
    const auto least = std::int64_t{9} << 20;
    std::int64_t& last = extents[random() % rank];
    last *= least / (elements * static_cast<std::int64_t>(sizeof(T))) + 1;
    const std::int64_t pitch = random() % 4 == 0 ? 3 : 0;
    check_large<T>(extents, order, pitch, sizeof(T) * (random() % 3));
}

}  // namespace

TEST_CASE("copies between layouts", "[elementwise]") {
    const target_guard guard;
    for (const std::string& target : ricci::kernels::supported_targets()) {
        INFO("target " << target);
        REQUIRE(ricci::kernels::force_target(target));
        for (unsigned seed = 0; seed < 60; ++seed) {
            check<float>(seed);
            check<double>(seed + 1000);
            check<std::int32_t>(seed + 2000);
            check<std::int64_t>(seed + 3000);
        }
    }
}

TEST_CASE("copies of more than the caches hold", "[elementwise]") {
    const target_guard guard;
    for (const std::string& target : ricci::kernels::supported_targets()) {
        INFO("target " << target);
        REQUIRE(ricci::kernels::force_target(target));
        // Rows that begin where cache lines do, and rows that do not.
        check_large<double>({1024, 1040}, {1, 0});
        check_large<float>({1456, 1504}, {1, 0});
        check_large<double>({1027, 1043}, {1, 0});
        check_large<float>({1451, 1511}, {1, 0});
        check_large<double>({1024, 1040}, {1, 0}, 3);
        check_large<double>({1024, 1040}, {1, 0}, 0, 24);
        check_large<float>({1024, 2064}, {1, 0}, 0, 4);
        // Short sides, and both sides in between.
        check_large<double>({210001, 5}, {1, 0});
        check_large<float>({7, 300007}, {1, 0});
        check_large<double>({131, 65, 129}, {2, 1, 0});
        check_large<float>({24, 25, 24, 160}, {3, 1, 2, 0});
        check_large<double>({130, 9, 33, 32}, {0, 3, 2, 1});
        // Short rows of the output that others follow: whole lines together, or not.
        check_large<float>({23, 25, 23, 180}, {3, 1, 2, 0});
        check_large<float>({23, 25, 23, 181}, {3, 1, 2, 0}, 7, 20);
        check_large<double>({5, 9, 7, 31, 130}, {4, 3, 2, 1, 0});
        check_large<double>({6, 5, 4, 3, 3200}, {4, 3, 1, 2, 0});
        check_large<float>({7, 600, 9, 61}, {3, 2, 1, 0}, 0, 4);
        // Rows of the source multiples of 64 KiB apart, long ones and short ones: alone, lengthened
        // in the output, in both alike, and in both by loops of their own; the last of a row is
        // less than a tile.
        check_large<double>({131, 8, 1024}, {2, 1, 0});
        check_large<float>({37, 64, 1024}, {2, 1, 0});
        check_large<float>({33, 8, 64, 128}, {3, 1, 2, 0});
        check_large<float>({40, 16, 32, 128}, {3, 2, 1, 0});
        check_large<double>({21, 32, 8, 256}, {3, 1, 2, 0}, 0, 24);
        check_large<float>({150, 16, 1024}, {2, 1, 0}, 3, 4);
        check_large<double>({24, 20, 16, 8, 32}, {4, 3, 2, 1, 0});
        check_large<double>({30, 32, 8, 8, 28}, {4, 2, 3, 1, 0}, 0, 24);
        // Whole pages apart, and short on both sides.
        check_large<float>({20, 16, 20, 16, 32}, {4, 3, 2, 1, 0}, 0, 4);
        check_large<double>({18, 13, 16, 32, 16}, {4, 1, 3, 2, 0});
        for (unsigned seed = 0; seed < 8; ++seed) {
            check_large<float>(seed);
            check_large<double>(seed + 100);
        }
        // Others follow, but too few.
        check_large<double>({5, 7, 33, 1000}, {2, 3, 1, 0});
        // Runs that both sides share.
        check_large<double>({67, 71, 256}, {1, 0, 2});
        check_large<double>({67, 71, 253}, {1, 0, 2}, 1);
        check_large<float>({5, 33, 201, 70}, {2, 1, 0, 3}, 5, 12);
        check_large<float>({2200003}, {0}, 0, 8);
        check_large<double>({3, 400007}, {0, 1}, 9);
        // Numbers of eight bytes that begin anywhere.
        check_large<std::complex<float>>({1027, 1043}, {1, 0}, 0, 4);
        check_large<std::complex<float>>({67, 71, 256}, {1, 0, 2}, 0, 4);
        check_large<std::complex<float>>({131, 8, 1024}, {2, 1, 0}, 0, 4);
    }
}
