// Partitions of networks, against every partition there is and against what cuts are known to be.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "bench/network_generators.hpp"
#include "src/path/search/bisection.hpp"
#include "src/path/search/partition.hpp"
#include "src/path/search/score.hpp"
#include "tests/unit/path/random_network.hpp"

using namespace ricci;
using namespace ricci::path;

namespace {

const keep_going always_on = [] { return true; };

core_network core_of(const path::hypergraph& network) { return unsimplified(network).core; }

core_network lattice(const std::vector<std::size_t>& sides) {
    return core_of(
        networks::hypergraph_of(bench::bond_network(bench::box(sides, false), 2, 1).data()));
}

std::vector<std::int32_t> sizes_of(const std::vector<std::int32_t>& part, std::int32_t parts) {
    std::vector<std::int32_t> sizes(place(parts));
    for (const std::int32_t p : part) ++sizes.at(place(p));
    return sizes;
}

/// The least weight cut by two sides of `least` operands or more.
double least_cut(const core_network& network, std::int32_t least) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> part(place(network.operands()));
    for (unsigned s = 0; s < 1u << part.size(); ++s) {
        std::int32_t first = 0;
        for (std::size_t t = 0; t < part.size(); ++t) {
            part[t] = static_cast<std::int32_t>(s >> t & 1);
            first += part[t];
        }
        if (first < least || network.operands() - first < least) continue;
        best = std::min(best, cut_weight(network, part));
    }
    return best;
}

}  // namespace

TEST_CASE("parts are as large as the imbalance allows, and none is empty") {
    for (unsigned seed = 0; seed < 30; ++seed) {
        const auto network = core_of(testing::random_network({60, 80, 5, 3, 3}, 900 + seed));
        const std::int32_t n = network.operands();
        for (const std::int32_t parts : {2, 3, 5, 8})
            for (const double imbalance : {0.01, 0.3, 1.0}) {
                random_stream random(seed);
                const auto part = partition(network, {parts, imbalance}, random, always_on);
                REQUIRE(part.size() == place(n));
                const auto sizes = sizes_of(part, parts);
                const double most = std::max((1 + imbalance) * n / parts,
                                             static_cast<double>((n + parts - 1) / parts));
                CHECK(*std::min_element(sizes.begin(), sizes.end()) > 0);
                CHECK(*std::max_element(sizes.begin(), sizes.end()) <= most + 1);
            }
    }
}

TEST_CASE("the cut of a small network is the least there is, but seldom") {
    int missed = 0, tried = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        const auto network = core_of(testing::random_network({12, 14, 4, 4, 2}, 40 + seed));
        const std::int32_t n = network.operands();
        if (n < 6) continue;
        random_stream random(seed);
        const auto part = partition(network, {2, 0.34}, random, always_on);
        const auto most = static_cast<std::int32_t>(std::ceil(1.34 * n / 2));
        const double cut = cut_weight(network, part), least = least_cut(network, n - most);
        CHECK(cut >= least - 1e-9);
        missed += cut > least + 1e-9;
        ++tried;
    }
    CHECK(tried > 20);
    CHECK(missed * 10 <= tried);
}

TEST_CASE("what a refined cut weighs is what it says, and moves back leave nothing") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        weighed_network graph;
        graph.network = core_of(testing::random_network({50, 60, 6, 5, 3}, 70 + seed));
        random_stream random(seed);
        for (std::int32_t t = 0; t < graph.network.operands(); ++t)
            graph.count.push_back(1 + static_cast<std::int32_t>(random.below(3)));
        std::int64_t all = 0;
        for (const std::int32_t c : graph.count) all += c;
        auto side = grown_side(graph, all / 3, random);
        std::vector<std::int32_t> before(side.begin(), side.end());
        const side_bounds bounds{all / 4, all / 2};
        const double cut = refine_cut(graph, bounds, side, random);
        const std::vector<std::int32_t> after(side.begin(), side.end());
        CHECK(cut == cut_weight(graph.network, after));
        CHECK(cut <= cut_weight(graph.network, before));
        std::int64_t first = 0;
        for (std::size_t t = 0; t < side.size(); ++t) first += side[t] == 0 ? graph.count[t] : 0;
        CHECK(first >= bounds.least);
        CHECK(first <= bounds.most);
    }
}

TEST_CASE("lattices are cut across, in two and in four") {
    random_stream random(4);
    const auto grid = lattice({8, 32});
    CHECK(cut_weight(grid, partition(grid, {2, 0.1}, random, always_on)) == 8);
    CHECK(cut_weight(grid, partition(grid, {4, 0.1}, random, always_on)) <= 26);
    const auto bar = lattice({5, 5, 20});
    CHECK(cut_weight(bar, partition(bar, {2, 0.2}, random, always_on)) == 25);
}

TEST_CASE("a tree made of parts is a whole one, whatever the parts") {
    const auto bar = lattice({4, 4, 12});
    for (const std::int32_t parts : {2, 3, 7})
        for (const double imbalance : {0.05, 0.9}) {
            random_stream random(7), again(7);
            const auto tree = partition_tree(bar, {parts, imbalance}, random, always_on);
            REQUIRE(tree.size() + 1 == place(bar.operands()));
            CHECK(tree == partition_tree(bar, {parts, imbalance}, again, always_on));
        }
    // A part in the middle has sixteen bonds to either side.
    product_price largest;
    largest.minimize = path::objective::largest_intermediate;
    random_stream middle(3);
    const auto halves = partition_tree(bar, {2, 0.1}, middle, always_on);
    CHECK(tree_score(bar, halves, largest) / 4 < 44);
    int left = 3;
    random_stream random(7);
    CHECK(partition_tree(bar, {2, 0.1}, random, [&] { return --left > 0; }).empty());
}
