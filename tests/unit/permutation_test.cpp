// Copies between layouts: every order of axes, gaps and backward strides, on every SIMD target, element
// by element, and nothing written beside the output.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "src/elementwise/map.hpp"
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
    std::vector<T> source(static_cast<std::size_t>(from.size));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<T>(i + 1);
    std::vector<T> got(static_cast<std::size_t>(to.size), T{0}), expected = got;
    for (std::int64_t number = 0; number < elements; ++number) {
        std::int64_t rest = number, at_from = from.origin, at_to = to.origin;
        for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis]) {
            at_from += rest % extents[axis] * from.strides[axis];
            at_to += rest % extents[axis] * to.strides[axis];
        }
        expected[static_cast<std::size_t>(at_to)] = source[static_cast<std::size_t>(at_from)];
    }
    const ricci::plan::map_operand operands[] = {{to.origin, to.strides},
                                                 {from.origin, from.strides}};
    ricci::plan::instruction load;
    load.code = ricci::plan::opcode::load;
    load.operand = 1;
    ricci::plan::map copy;
    copy.type = ricci::element_v<T>;
    copy.extents = extents;
    copy.operands = operands;
    copy.program = {&load, 1};
    void* const bases[] = {got.data(), source.data()};
    ricci::elementwise::prepared_map(copy).run(bases);
    CHECK(got == expected);
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
