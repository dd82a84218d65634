// The search for contraction orders against brute force and against its own definition of costs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include <ricci/error.hpp>

#include "bench/network_generators.hpp"
#include "src/path/search.hpp"
#include "tests/unit/path/random_network.hpp"

using namespace ricci;
using path::cost_of;
using path::hypergraph;
using path::objective;
using path::order_found;
using path::search_options;
using path::search_order;
using testing::random_network;
using testing::set_evaluation;

namespace {

search_options some_trials(std::int64_t trials, ricci::path::objective minimize =
                                                    ricci::path::objective::multiplications) {
    search_options options;
    options.trials = trials;
    options.minimize = minimize;
    return options;
}

order_found random_order(const hypergraph& network, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> there;
    for (std::int32_t t = 0; t < network.operands(); ++t) there.push_back(t);
    order_found order;
    while (there.size() > 1) {
        const auto take = [&] {
            const std::size_t k = random() % there.size();
            const std::int32_t taken = there[k];
            there.erase(there.begin() + static_cast<std::ptrdiff_t>(k));
            return taken;
        };
        const std::int32_t a = take(), b = take();
        order.products.emplace_back(a, b);
        there.push_back(network.operands() + static_cast<std::int32_t>(order.products.size()) - 1);
    }
    return order;
}

}  // namespace

TEST_CASE("an order costs what its products cost by sets of operands") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        auto network = random_network({2 + static_cast<std::int32_t>(seed % 7), 9, 5, 4, 3}, seed);
        if (seed % 3 == 0 && !network.open.empty()) {
            network.sparse = network.open;
            network.choices = 3;
        }
        const auto order = random_order(network, seed);
        const auto cost = cost_of(network, order);
        const auto expected = set_evaluation(network).of(order.products);
        CHECK(cost.log2_multiplications ==
              Approx(std::log2(expected.multiplications)).margin(1e-9));
        CHECK(cost.log2_traffic == Approx(std::log2(expected.traffic)).margin(1e-9));
        CHECK(cost.log2_largest_product == Approx(std::log2(expected.product)).margin(1e-9));
        CHECK(cost.log2_largest_intermediate ==
              Approx(std::log2(expected.intermediate)).margin(1e-9));
        CHECK(cost.slices == 1);
        CHECK(cost.overhead == 1);
    }
}

TEST_CASE("slices cost what as many networks of smaller extents cost") {
    for (unsigned seed = 0; seed < 100; ++seed) {
        const auto network = random_network({6, 8, 4, 7, 2}, seed);
        auto order = random_order(network, seed);
        const double whole = cost_of(network, order).log2_multiplications;
        auto smaller = network;
        double runs = 1;
        for (std::int32_t i = 0; i < 8; i += 3) {
            auto& extent = smaller.extents[static_cast<std::size_t>(i)];
            if (extent < 3) continue;
            order.slices.push_back({i, i == 0 ? static_cast<std::int64_t>(extent) : 2});
            const auto parts = static_cast<double>(order.slices.back().parts);
            runs *= parts;
            extent = std::ceil(extent / parts);
        }
        const auto cost = cost_of(network, order);
        const auto one = set_evaluation(smaller).of(order.products);
        CHECK(cost.slices == Approx(runs));
        CHECK(cost.log2_multiplications ==
              Approx(std::log2(runs * one.multiplications)).margin(1e-9));
        CHECK(cost.log2_largest_intermediate == Approx(std::log2(one.intermediate)).margin(1e-9));
        CHECK(std::log2(cost.overhead) == Approx(cost.log2_multiplications - whole).margin(1e-9));
    }
}

TEST_CASE("few operands get the best of all trees, whatever is to be small") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const auto network =
            random_network({3 + static_cast<std::int32_t>(seed % 5), 8, 4, 5, 2}, 1000 + seed);
        const auto least = set_evaluation(network).least();
        const auto found = [&](ricci::path::objective minimize) {
            return cost_of(network, search_order(network, some_trials(1, minimize)));
        };
        CHECK(std::exp2(found(ricci::path::objective::multiplications).log2_multiplications) ==
              Approx(least.multiplications).epsilon(1e-3));
        CHECK(std::exp2(found(ricci::path::objective::traffic).log2_traffic) ==
              Approx(least.traffic).epsilon(1e-3));
        CHECK(std::exp2(found(ricci::path::objective::largest_product).log2_largest_product) ==
              Approx(least.product).epsilon(1e-3));
        CHECK(std::exp2(
                  found(ricci::path::objective::largest_intermediate).log2_largest_intermediate) ==
              Approx(least.intermediate).epsilon(1e-3));
    }
}

TEST_CASE("annealing finds the best tree where the exact search does not look") {
    // Thirteen operands: too many for the exact search, few enough to know the best.
    for (unsigned seed = 0; seed < 4; ++seed) {
        const auto network = random_network({13, 16, 4, 3, 1}, 50 + seed);
        const auto least = set_evaluation(network).least();
        const auto cost = cost_of(network, search_order(network, some_trials(2)));
        CHECK(std::exp2(cost.log2_multiplications) == Approx(least.multiplications).epsilon(2e-2));
    }
}

TEST_CASE("no order has a largest product below the bound") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const auto network =
            random_network({2 + static_cast<std::int32_t>(seed % 7), 9, 5, 4, 3}, 2000 + seed);
        CHECK(path::product_bound_log2(network) <=
              std::log2(set_evaluation(network).least().product) + 1e-9);
    }
    // A complete graph has its own number of vertices, a tree two, a grid its side and one more.
    ricci::testing::network_maker complete;
    for (int v = 0; v < 9; ++v) complete.index();
    for (std::int32_t a = 0; a < 9; ++a)
        for (std::int32_t b = 0; b < a; ++b) complete.operand({a, b});
    CHECK(path::product_bound_log2(complete.take()) == Approx(9));
}

TEST_CASE("trials give the same order with any number of threads") {
    const auto network =
        networks::hypergraph_of(bench::bond_network(bench::random_regular(60, 3, 7), 2, 1).data());
    std::vector<order_found> found;
    for (const int threads : {1, 2, 5}) {
        auto options = some_trials(6);
        options.threads = threads;
        options.seed = 3;
        found.push_back(search_order(network, options));
    }
    CHECK(found[0].products == found[1].products);
    CHECK(found[0].products == found[2].products);
    auto limited = some_trials(6);
    limited.largest = 64;
    const auto first = search_order(network, limited);
    limited.threads = 2;
    const auto second = search_order(network, limited);
    CHECK(first.products == second.products);
    REQUIRE(first.slices.size() == second.slices.size());
    for (std::size_t k = 0; k < first.slices.size(); ++k)
        CHECK(first.slices[k].index == second.slices[k].index);
}

TEST_CASE("a brief search gives the same order with any number of threads, nearly as good") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const std::int32_t n = 30 + 20 * static_cast<std::int32_t>(seed);
        const hypergraph network = random_network({n, 3 * n / 2, 4, 3, 2}, 80 + seed);
        search_options options = some_trials(1);
        const double whole = cost_of(network, search_order(network, options)).log2_multiplications;
        options.brief = true;
        options.threads = 1;
        const order_found found = search_order(network, options);
        options.threads = 3;
        CHECK(search_order(network, options).products == found.products);
        CHECK(cost_of(network, found).log2_multiplications < whole + 1);
    }
}

TEST_CASE("orders are whole orders of networks of every kind") {
    for (unsigned seed = 0; seed < 80; ++seed) {
        const auto network = random_network(
            {static_cast<std::int32_t>(seed % 40), 5 + static_cast<std::int32_t>(seed), 4, 3, 2},
            3000 + seed);
        const auto order = search_order(network, some_trials(1));
        CHECK_NOTHROW(cost_of(network, order));
    }
    for (const char* name : {"made-grid-6", "made-torus-5", "made-relations-6", "made-formula-80",
                             "made-mps-12", "made-regular-40"}) {
        const auto network = bench::generated_network(name);
        REQUIRE(network.operands() > 0);
        CHECK_NOTHROW(cost_of(network, search_order(network, some_trials(2))));
    }
}

TEST_CASE("slices keep every intermediate within the bound") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const auto network = random_network({14, 16, 4, 5, 2}, 4000 + seed);
        auto options = some_trials(2);
        options.largest = std::exp2(2.0 + seed % 5);
        const auto order = search_order(network, options);
        CHECK(cost_of(network, order).log2_largest_intermediate <=
              std::log2(options.largest) + 1e-9);
    }
    // An index of 1000 is cut into ranges, not into its places.
    ricci::testing::network_maker chain;
    const std::int32_t a = chain.index(1000), b = chain.index(1000), c = chain.index(1000);
    chain.operand({a, b}), chain.operand({b, c});
    chain.open(a), chain.open(c);
    auto options = some_trials(1);
    options.largest = 250'000;
    const auto network = chain.take();
    const auto order = search_order(network, options);
    const auto cost = cost_of(network, order);
    CHECK(cost.slices == 4);
    CHECK(cost.overhead == Approx(1));
    CHECK(std::exp2(cost.log2_largest_intermediate) == Approx(250'000));
}

TEST_CASE("no slice is cut into more parts than the others leave to it") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        auto network = random_network({16, 14, 4, 9, 3}, 9000 + seed);
        if (seed % 2 == 0 && !network.open.empty()) {
            network.sparse = network.open;
            network.choices = 5;
        }
        const double largest = std::exp2(1.0 + seed % 6);
        auto order = path::sliced_within(network, random_order(network, seed), largest);
        const auto size = [&] { return cost_of(network, order).log2_largest_intermediate; };
        CHECK(size() <= std::log2(largest) + 1e-9);
        for (std::size_t k = 0; k < order.slices.size(); ++k) {
            const auto kept = order.slices;
            if (--order.slices[k].parts == 1)
                order.slices.erase(order.slices.begin() + static_cast<std::ptrdiff_t>(k));
            CHECK(size() > std::log2(largest) + 1e-9);
            order.slices = kept;
        }
    }
}

// Sets of hundreds of indices, and a bound that takes as many slices: whoever chose them to the end
// would ask the clock hundreds of times more.
TEST_CASE("a search that needs hundreds of slices ends when it is told to") {
    constexpr std::int32_t tensors = 3000;
    ricci::testing::network_maker maker;
    for (std::int32_t k = 0; k < tensors; ++k) maker.index();
    for (std::int32_t k = 0; k < tensors; ++k)
        maker.operand({k, (k * 7 + 1) % tensors, (k * 13 + 5) % tensors});
    const auto network = maker.take();
    search_options options;
    options.seconds = 1000;
    options.largest = std::exp2(29);
    int reports = 0;
    options.progress = [&](double, double) { return ++reports < 3; };
    const auto order = search_order(network, options);
    // Never asked again.
    CHECK(reports == 3);
    CHECK(order.slices.size() > 200);
    CHECK(cost_of(network, order).log2_largest_intermediate <= 29 + 1e-9);
}

TEST_CASE("a search is stopped by its caller, and ends when its time is over") {
    const auto network =
        networks::hypergraph_of(bench::bond_network(bench::random_regular(300, 3, 1), 2, 1).data());
    search_options options;
    options.seconds = 30;
    int calls = 0;
    options.progress = [&](double part, double seconds_left) {
        CHECK(part >= 0);
        CHECK(part <= 1);
        CHECK(seconds_left <= 30);
        return ++calls < 3;
    };
    CHECK_NOTHROW(cost_of(network, search_order(network, options)));
    CHECK(calls == 3);
}

TEST_CASE("what is no network and what is no order get one sentence") {
    const auto says = [](const auto& call) {
        try {
            call();
        } catch (const error& mistake) {
            return std::string(mistake.what());
        }
        return std::string("nothing");
    };
    hypergraph network;
    network.first = {0, 2, 4};
    network.members = {0, 1, 1, 2};
    network.extents = {2, 3, 4};
    CHECK(says([&] { cost_of(network, {}); }) ==
          "contraction order: 0 products for a network of 2 operands, which needs 1");
    CHECK(says([&] {
              cost_of(network, {{{0, 0}}, {}});
          }) == "contraction order: product 0 uses 0, which is used already");
    CHECK(says([&] {
              cost_of(network, {{{0, 2}}, {}});
          }) == "contraction order: product 0 uses 2, which is not there by then");
    CHECK(says([&] {
              cost_of(network, {{{0, 1}}, {{1, 4}}});
          }) == "contraction order: cuts index 1 into 4 parts, which is not 2 to its extent");
    search_options options;
    options.largest = 0.5;
    CHECK(says([&] { search_order(network, options); }) ==
          "order search: no intermediate has fewer elements than one");
    network.members[1] = 0;
    CHECK(says([&] { search_order(network); }) == "network: operand 0 has index 0 twice");
    network.members[1] = 7;
    CHECK(says([&] { search_order(network); }) == "network: operand 0 has index 7 of 3 indices");
    network.members[1] = 1;
    network.extents[2] = 0.5;
    CHECK(says([&] { search_order(network); }) ==
          "network: the extent of index 2 is not a whole number of at least 1");
}
