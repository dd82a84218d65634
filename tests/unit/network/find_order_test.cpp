// Orders that are found: within memory, the same for a seed, and what is refused.
#include <cmath>
#include <limits>
#include <string>

#include <ricci/network.hpp>

#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

// A grid of side x side tensors, bonds of the extent, nothing kept.
network grid(std::size_t side, std::size_t extent) {
    network n;
    const auto right = [&](std::size_t r, std::size_t c) { return 2 * (r * side + c); };
    const auto down = [&](std::size_t r, std::size_t c) { return 2 * (r * side + c) + 1; };
    for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) {
            std::vector<std::int64_t> indices;
            const auto has = [&](std::size_t i) {
                indices.push_back(static_cast<std::int64_t>(i));
            };
            if (c + 1 < side) has(right(r, c));
            if (c > 0) has(right(r, c - 1));
            if (r + 1 < side) has(down(r, c));
            if (r > 0) has(down(r - 1, c));
            const std::vector<std::size_t> extents(indices.size(), extent);
            n.add(shape(element::f64, extents), indices);
        }
    return n;
}

}  // namespace

TEST_CASE("an order is found, and is the same for a seed") {
    const network n = grid(5, 2);
    const contraction_order o = find_order(n, {.trials = 2, .seed = 3});
    CHECK(o.ssa().size() == 24);
    CHECK(o.slices() == 1);
    CHECK(o.multiplications() < 2000);
    CHECK(o.bound() >= 4);
    CHECK(find_order(n, {.trials = 2, .seed = 3}).ssa() == o.ssa());
}

TEST_CASE("one tensor, scalars and parts that share nothing have orders") {
    network one;
    one.add(shape(element::f64, {3}), {0});
    CHECK(find_order(one).ssa().empty());
    network parts;
    parts.add(shape(element::f64, std::vector<std::size_t>{}), {});
    parts.add(shape(element::f64, {2, 2}), {0, 0});
    parts.add(shape(element::f64, {1, 3}), {1, 2});
    parts.add(shape(element::f64, std::vector<std::size_t>{}), {});
    CHECK(find_order(parts, {.trials = 1}).ssa().size() == 3);
}

TEST_CASE("memory is kept within by slices") {
    const network n = grid(6, 8);
    const contraction_order free = find_order(n, {.trials = 1});
    const double memory = 0.2 * free.peak_bytes();
    const contraction_order o = find_order(n, {.trials = 1, .memory = memory});
    CHECK(o.slices() > 1);
    CHECK(o.peak_bytes() <= memory);
    CHECK_THAT(words_of([&] { find_order(n, {.trials = 1, .memory = 1000}); }),
               Contains("there is memory for 1e+03"));
}

TEST_CASE("progress ends a search") {
    order_options want{.seconds = 20};
    want.progress = [](double, double) { return false; };
    CHECK(find_order(grid(12, 2), want).ssa().size() == 143);
}

TEST_CASE("an order that costs nothing beside the search ends it") {
    network ring;
    for (int k = 0; k < 40; ++k) ring.add(shape(element::f64, {4, 4}), {k, (k + 1) % 40});
    order_options want{.seconds = 100};
    bool long_sought = false;
    want.progress = [&](double part, double) { return !(long_sought = part > 0.5); };
    CHECK(find_order(ring, want).ssa().size() == 39);
    CHECK_FALSE(long_sought);
}

TEST_CASE("few tensors have the best order, with slices where it does not fit") {
    // The chain of matrices of the textbook: 15125 multiplications, and no fewer.
    const std::size_t sides[] = {30, 35, 15, 5, 10, 20, 25};
    network chain;
    for (int k = 0; k < 6; ++k)
        chain.add(shape(element::f64, {sides[k], sides[k + 1]}), {k, k + 1});
    chain.keep({0, 6});
    CHECK(find_order(chain).multiplications() == 15125);
    const contraction_order tight = find_order(chain, {.memory = 8 * (3625 + 1700)});
    CHECK(tight.peak_bytes() <= 8 * (3625 + 1700));
}

TEST_CASE("options that mean nothing are refused") {
    const network n = grid(3, 2);
    CHECK(words_of([&] { find_order(n, {.seconds = -1}); }) ==
          "ricci: an order is sought with seconds of -1, which means nothing.");
    CHECK_FALSE(words_of([&] { find_order(n, {.trials = -1}); }).empty());
    CHECK_FALSE(words_of([&] { find_order(n, {.memory = -1}); }).empty());
    CHECK_FALSE(words_of([&] {
                    find_order(n, {.memory = std::numeric_limits<double>::quiet_NaN()});
                }).empty());
    CHECK(words_of([] { find_order(network()); }) ==
          "ricci: a network without tensors has no order.");
}
