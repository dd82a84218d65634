// Parts of trees made anew, against every tree there is and against trees loaded afresh.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "bench/network_generators.hpp"
#include "src/path/search/ladder.hpp"
#include "src/path/search/subtrees.hpp"
#include "tests/unit/path/random_network.hpp"

using namespace ricci;
using namespace ricci::path;

namespace {

const keep_going without_end = [] { return true; };

std::vector<product_price> prices_of_all_kinds() {
    std::vector<product_price> prices;
    for (const path::objective minimize :
         {path::objective::multiplications, path::objective::largest_product,
          path::objective::largest_intermediate, path::objective::traffic,
          path::objective::weighed}) {
        product_price price;
        price.minimize = minimize;
        price.traffic_weight = 5;
        prices.push_back(price);
        price.limit = 3;
        price.penalty = 2;
        prices.push_back(price);
    }
    return prices;
}

/// The least score of all orders of a few operands: every pair is multiplied first, and so on.
class every_order {
public:
    every_order(const core_network& network, const product_price& price)
        : network_(network), price_(price) {
        std::vector<std::int32_t> entries(place(network.operands()));
        std::iota(entries.begin(), entries.end(), 0);
        extend(entries);
    }
    double least() const { return least_; }

private:
    void extend(const std::vector<std::int32_t>& entries) {
        if (entries.size() == 1) least_ = std::min(least_, tree_score(network_, products_, price_));
        for (std::size_t a = 0; a < entries.size(); ++a)
            for (std::size_t b = a + 1; b < entries.size(); ++b) {
                auto rest = entries;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(b));
                rest[a] = network_.operands() + static_cast<std::int32_t>(products_.size());
                products_.emplace_back(entries[a], entries[b]);
                extend(rest);
                products_.pop_back();
            }
    }

    const core_network& network_;
    product_price price_;
    product_list products_;
    double least_ = std::numeric_limits<double>::infinity();
};

/// The operands in a line, each multiplied into all before it.
product_list one_after_the_other(std::int32_t operands) {
    product_list products;
    for (std::int32_t t = 1; t < operands; ++t)
        products.emplace_back(t == 1 ? 0 : operands + t - 2, t);
    return products;
}

}  // namespace

TEST_CASE("a part that is the whole tree becomes the best of all trees, whatever is to be small") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const auto core = unsimplified(testing::random_network({6, 8, 4, 4, 2}, seed)).core;
        if (core.operands() < 3) continue;
        for (const product_price& price : prices_of_all_kinds()) {
            tree_annealer tree(core, price);
            tree.load(one_after_the_other(core.operands()));
            subtree_search(tree).run(8, without_end);
            const double least = every_order(core, price).least();
            CHECK(tree.score() == Approx(least).margin(2e-2));
            CHECK(tree_score(core, tree.products(), price) == Approx(least).margin(2e-2));
        }
    }
}

TEST_CASE("a tree whose parts were made anew is as if it were loaded, with and without slices") {
    std::int64_t improved = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto core = unsimplified(testing::random_network({40, 60, 5, 4, 3}, 300 + seed)).core;
        std::vector<char> sliced(core.weight.size());
        for (std::size_t i = 0; i < sliced.size(); ++i) sliced[i] = seed % 2 == 1 && i % 7 == 0;
        for (const product_price& price : prices_of_all_kinds()) {
            tree_annealer tree(core, price);
            tree.load(one_after_the_other(core.operands()));
            tree.slice(sliced);
            double before = tree.score();
            for (const std::size_t leaves : {std::size_t{3}, std::size_t{6}, std::size_t{8}}) {
                improved += subtree_search(tree).run(leaves, without_end);
                CHECK(tree.score() <= before + 1e-9);
                before = tree.score();
            }
            tree_annealer fresh(core, price);
            fresh.load(tree.shape());
            fresh.slice(sliced);
            for (std::size_t n = 0; n < fresh.nodes().size(); ++n) {
                REQUIRE(tree.nodes()[n].size == fresh.nodes()[n].size);
                REQUIRE(tree.nodes()[n].price == fresh.nodes()[n].price);
                REQUIRE(tree.nodes()[n].span == fresh.nodes()[n].span);
                const auto number = static_cast<std::int32_t>(n);
                REQUIRE(std::equal(tree.set_of(number), tree.set_of(number) + tree.weights().words,
                                   fresh.set_of(number)));
            }
        }
    }
    CHECK(improved > 1000);
}

TEST_CASE("no part of a tree is left that could be better") {
    const auto network =
        networks::hypergraph_of(bench::bond_network(bench::box({9, 9}, false), 2, 1).data());
    const auto core = unsimplified(network).core;
    random_stream random(3);
    tree_annealer tree(core, {});
    tree.load(greedy_tree(core, {}, random, without_end));
    CHECK(subtree_search(tree).run(7, without_end) > 0);
    CHECK(subtree_search(tree).run(7, without_end) == 0);
    CHECK(subtree_search(tree).run(3, without_end) == 0);
}

TEST_CASE("products beyond the range of numbers are made anew as well") {
    // A ring of sites with a bond of 2^300 between neighbours; powers of four times as much.
    core_network core;
    std::vector<std::vector<std::int32_t>> sites;
    constexpr std::int32_t n = 12;
    for (std::int32_t k = 0; k < n; ++k)
        sites.push_back({std::min(k, (k + 1) % n), std::max(k, (k + 1) % n)});
    core = make_core(sites, std::vector<double>(n, 300), std::vector<char>(n, 0));
    for (const path::objective minimize :
         {path::objective::multiplications, path::objective::largest_product}) {
        product_price price;
        price.minimize = minimize;
        tree_annealer tree(core, price);
        // Sites that are far apart are joined first.
        product_list products;
        for (std::int32_t k = 0; k < n / 2; ++k) products.emplace_back(k, k + n / 2);
        for (std::int32_t k = 1; k < n / 2; ++k)
            products.emplace_back(k == 1 ? n : n + n / 2 + k - 2, n + k);
        tree.load(products);
        const double before = tree.score();
        subtree_search(tree).run(8, without_end);
        CHECK(tree.score() <= before);
    }
}
