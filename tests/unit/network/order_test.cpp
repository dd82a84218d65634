// Orders: from SSA and from paths and back, against lists that are really cut; mistakes; words.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/order_data.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

using pair_list = std::vector<std::pair<std::size_t, std::size_t>>;

// A chain of matrices of 2 x 3, 3 x 4, ...
network chain(std::size_t matrices) {
    network n;
    for (std::size_t k = 0; k < matrices; ++k)
        n.add(shape(element::f64, {k + 2, k + 3}), {k, k + 1});
    n.keep({std::size_t{0}, matrices});
    return n;
}

pair_list random_ssa(std::mt19937& random, std::size_t operands) {
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < operands; ++k) left.push_back(k);
    pair_list pairs;
    while (left.size() > 1) {
        std::shuffle(left.begin(), left.end(), random);
        pairs.emplace_back(left[0], left[1]);
        left.erase(left.begin(), left.begin() + 2);
        left.push_back(operands + pairs.size() - 1);
    }
    return pairs;
}

// A path as whoever follows it would: on a list of what is left.
pair_list ssa_of_path(const pair_list& path, std::size_t operands) {
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < operands; ++k) left.push_back(k);
    pair_list pairs;
    for (const auto& [first, second] : path) {
        pairs.emplace_back(left.at(first), left.at(second));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(std::max(first, second)));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(std::min(first, second)));
        left.push_back(operands + pairs.size() - 1);
    }
    return pairs;
}

pair_list sorted_pairs(pair_list pairs) {
    for (auto& [a, b] : pairs)
        if (a > b) std::swap(a, b);
    return pairs;
}

}  // namespace

TEST_CASE("an order costs what its products cost") {
    const network n = chain(3);  // 2 x 3, 3 x 4, 4 x 5
    const contraction_order left = contraction_order::from_ssa(n, {{0, 1}, {3, 2}});
    CHECK(left.multiplications() == 2 * 3 * 4 + 2 * 4 * 5);
    CHECK(left.largest() == 10);
    CHECK(left.slices() == 1);
    CHECK(left.sliced().empty());
    CHECK(left.peak_bytes() == 8 * (6 + 12 + 20) + 8 * (8 + 10));
    const contraction_order right = contraction_order::from_ssa(n, {{1, 2}, {0, 3}});
    CHECK(right.multiplications() == 3 * 4 * 5 + 2 * 3 * 5);
    CHECK(right.largest() == 15);
}

TEST_CASE("one tensor alone takes no products") {
    network n;
    n.add(shape(element::f64, {4, 5}), {0, 1});
    n.keep({1});
    const contraction_order o = contraction_order::from_ssa(n, {});
    CHECK(o.multiplications() == 0);
    CHECK(o.largest() == 5);
    CHECK(o.ssa().empty());
    CHECK(o.path().empty());
    CHECK_THAT(o.words(), Contains("multiplications: 0\n"));
}

TEST_CASE("paths and SSA say the same") {
    std::mt19937 random(9);
    for (std::size_t operands = 1; operands < 40; ++operands) {
        const network n = chain(operands);
        const pair_list ssa = random_ssa(random, operands);
        const contraction_order o = contraction_order::from_ssa(n, ssa);
        CHECK(o.ssa() == ssa);
        CHECK(sorted_pairs(ssa_of_path(o.path(), operands)) == sorted_pairs(ssa));
        const contraction_order again = contraction_order::from_path(n, o.path());
        CHECK(sorted_pairs(again.ssa()) == sorted_pairs(ssa));
        CHECK(again.multiplications() == Approx(o.multiplications()).epsilon(1e-12));
    }
}

TEST_CASE("paths of many tensors take no time to turn") {
    std::mt19937 random(10);
    constexpr std::size_t operands = 100000;
    network n;
    for (std::size_t k = 0; k < operands; ++k) n.add(shape(element::f64, {2}), {k / 2});
    pair_list path;
    for (std::size_t left = operands; left > 1; --left) {
        const std::size_t a = random() % left, b = random() % (left - 1);
        path.emplace_back(a, b < a ? b : b + 1);
    }
    const contraction_order o = contraction_order::from_path(n, path);
    CHECK(sorted_pairs(o.path()) == sorted_pairs(path));
}

TEST_CASE("what is no order is refused in one sentence") {
    const network n = chain(3);
    const auto ssa = [&](const pair_list& pairs) {
        return words_of([&] { contraction_order::from_ssa(n, pairs); });
    };
    const std::string no_order = "ricci: this is no order of the network: ";
    CHECK(ssa({{0, 1}}) == no_order + "3 tensors take 2 products, and 1 are given.");
    CHECK(ssa({{0, 1}, {1, 3}}) == no_order + "product 1 is of entry 1, which product 0 used.");
    CHECK(ssa({{0, 0}, {1, 3}}) == no_order + "product 0 is of entry 0, which product 0 used.");
    CHECK(ssa({{0, 3}, {1, 2}}) == no_order + "product 0 is of entry 3, and there are 3 by then.");
    const auto path = [&](const pair_list& pairs) {
        return words_of([&] { contraction_order::from_path(n, pairs); });
    };
    const std::string no_path = "ricci: this is no path through the network: ";
    CHECK(path({{0, 1}}) == no_path + "3 tensors take 2 steps, and 1 are given.");
    CHECK(path({{0, 1}, {1, 1}}) == no_path + "step 1 takes position 1 twice.");
    CHECK(path({{0, 1}, {0, 2}}) == no_path + "step 1 takes position 2, and 2 tensors are left.");
    CHECK(words_of([] { contraction_order::from_ssa(network(), {}); }) ==
          no_order + "it has no tensors.");
}

TEST_CASE("words say what costs") {
    const network n = chain(3);
    const auto shapes = std::make_shared<path::hypergraph>(networks::hypergraph_of(n.data()));
    const contraction_order o =
        networks::order_of(n.data(), shapes, {{0, 1}, {3, 2}}, {{1, 3}, {2, 2}});
    CHECK(o.slices() == 6);
    REQUIRE(o.sliced().size() == 2);
    CHECK(o.sliced()[0].index == 1);
    CHECK(o.sliced()[0].parts == 3);
    const std::string words = o.words();
    CHECK_THAT(words, Contains("tensors: 3, indices: 4\n"));
    CHECK_THAT(words, Contains("slices: 6, "));
    CHECK_THAT(words, Contains("index 1 into 3, 2 into 2\n"));
    CHECK_THAT(words, Contains("largest intermediate: 10 elements"));
    CHECK_THAT(words, Contains("304 bytes of tensors"));
    CHECK_THAT(words, Contains("time: "));
}

TEST_CASE("words go on where doubles end") {
    network n;
    pair_list pairs;
    std::vector<std::int64_t> all;
    for (std::size_t k = 0; k < 2000; ++k) {
        n.add(shape(element::f64, {2}), {k});
        all.push_back(static_cast<std::int64_t>(k));
        if (k > 0) pairs.emplace_back(k == 1 ? 0 : 2000 + k - 2, k);
    }
    n.keep(all);
    const std::string words = contraction_order::from_ssa(n, pairs).words();
    CHECK_THAT(words, Contains("(10^602.361)"));
    CHECK_THAT(words, Contains("2^2000.0"));
    CHECK_THAT(words, Contains("more than 10^308 bytes of intermediates"));
    CHECK_THAT(words, Contains("years"));
}
