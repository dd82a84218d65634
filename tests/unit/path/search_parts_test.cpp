// The parts of the search for contraction orders, each on its own.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "bench/network_generators.hpp"
#include "src/path/search/arm.hpp"
#include "src/path/search/ladder.hpp"
#include "src/path/search/seed_portfolio.hpp"
#include "src/path/search/slice_moves.hpp"
#include "src/path/search/sliced_seeds.hpp"
#include "src/path/search/slicing.hpp"
#include "tests/unit/path/random_network.hpp"

using namespace ricci;
using namespace ricci::path;

namespace {

const keep_going always = [] { return true; };

order_found whole_order(const hypergraph& network, const simplified_network& simplified,
                        const product_list& products) {
    const auto raw = unsimplified(network);
    return {with_scalars(network, simplified.whole(products), raw.scalars), {}};
}

std::vector<hypergraph> some_networks() {
    std::vector<hypergraph> networks;
    for (const char* name : {"made-grid-7", "made-torus-6", "made-regular-50", "made-relations-7",
                             "made-formula-120", "made-mps-15"})
        networks.push_back(bench::generated_network(name));
    for (unsigned seed = 0; seed < 20; ++seed)
        networks.push_back(testing::random_network({30, 40, 5, 4, 3}, 7000 + seed));
    return networks;
}

}  // namespace

TEST_CASE("no product of the simplification is larger than its larger operand") {
    for (unsigned seed = 0; seed < 100; ++seed) {
        const auto network = testing::random_network({16, 14, 4, 3, 2}, 5000 + seed);
        const testing::set_evaluation evaluation(network);
        const auto simplified = simplify_shapes(network);
        std::vector<unsigned> part;
        for (std::int32_t t = 0; t < network.operands(); ++t) part.push_back(1u << t);
        for (const auto& [a, b] : simplified.before) {
            const unsigned left = part[place(a)], right = part[place(b)];
            const auto size = [&](unsigned p) {
                return evaluation.elements(evaluation.left_of(p));
            };
            CHECK(size(left | right) <= std::max(size(left), size(right)));
            part.push_back(left | right);
        }
        // What is left is all there is: each entry once, of operands that have indices.
        unsigned all = 0;
        for (const auto* entries : {&simplified.entries, &simplified.scalars})
            for (const std::int32_t e : *entries) {
                CHECK((all & part[place(e)]) == 0);
                all |= part[place(e)];
            }
        CHECK(all == (1u << network.operands()) - 1);
    }
}

TEST_CASE("every first tree is a whole order, scored as it costs") {
    for (const auto& network : some_networks()) {
        const auto simplified = simplify_shapes(network);
        const auto raw = unsimplified(network);
        if (simplified.core.operands() < 3) continue;
        const auto makers = make_seed_makers({&simplified.core, &raw.core}, 1);
        for (const auto& maker : makers) {
            const auto tree = maker.make(always);
            const bool is_raw = maker.core == &raw.core;
            REQUIRE(tree.size() + 1 == place(maker.core->operands()));
            const auto order = whole_order(network, is_raw ? raw : simplified, tree);
            const auto cost = cost_of(network, order);
            const double score = tree_score(*maker.core, tree, {});
            CHECK(score <= cost.log2_multiplications + 1e-3);
            if (is_raw && raw.scalars.empty())
                CHECK(score == Approx(cost.log2_multiplications).margin(1e-3));
        }
    }
}

TEST_CASE("ladders only make trees better, and know what they cost") {
    for (const auto& network : some_networks()) {
        const auto raw = unsimplified(network);
        if (raw.core.operands() < 3) continue;
        random_stream random(5);
        for (const ricci::path::objective minimize :
             {ricci::path::objective::multiplications, ricci::path::objective::traffic,
              ricci::path::objective::largest_product}) {
            product_price price;
            price.minimize = minimize;
            ladder_search ladder(raw.core, price, 3);
            ladder.start(greedy_tree(raw.core, {}, random, always));
            double before = ladder.score();
            for (int round = 0; round < 3; ++round) {
                ladder.climb_down(always);
                CHECK(ladder.score() <= before + 1e-9);
                before = ladder.score();
            }
            CHECK(tree_score(raw.core, ladder.products(), price) ==
                  Approx(ladder.score()).margin(2e-2));
        }
    }
}

TEST_CASE("slices are enough, and the tree is scored with them") {
    const auto network =
        networks::hypergraph_of(bench::bond_network(bench::box({8, 8}, true), 2, 1).data());
    const auto core = unsimplified(network).core;
    random_stream random(5);
    ladder_search ladder(core, {}, 3);
    ladder.start(greedy_tree(core, {}, random, always));
    ladder.set_limit(8);
    for (int round = 0; round < 3; ++round) {
        ladder.climb_down(always);
        ladder.slice_again(true, always);
    }
    tree_annealer tree(core, {});
    tree.load(ladder.products());
    tree.slice(ladder.sliced());
    product_price limited;
    limited.limit = 8;
    tree.set_price(limited);
    CHECK_FALSE(is_too_large(tree));
    CHECK(tree.score() + log2_slices(core, ladder.sliced()) == Approx(ladder.score()).margin(2e-2));
}

namespace {

product_price price_within(double limit) {
    product_price price;
    price.limit = limit;
    price.penalty = 2;
    return price;
}

/// log2 of all runs' work where these are sliced, too large results counted by the runs that they
/// would take.
double work_with(const core_network& core, const product_list& products,
                 const std::vector<char>& sliced, double limit) {
    product_price counted;
    counted.limit = limit;
    counted.penalty = 1;
    tree_annealer tree(core, counted);
    tree.load(products);
    tree.slice(sliced);
    return tree.score() + log2_slices(core, sliced);
}

/// Whether results that are too large with these slices have an index.
std::vector<char> of_too_large(const core_network& core, const product_list& products,
                               const std::vector<char>& sliced, double limit) {
    tree_annealer tree(core, {});
    tree.load(products);
    tree.slice(sliced);
    std::vector<char> has(core.weight.size());
    for (std::int32_t n = core.operands(); n <= tree.root(); ++n) {
        if (static_cast<double>(tree.nodes()[place(n)].size) * weight_unit <= limit) continue;
        for (std::size_t i = 0; i < has.size(); ++i) {
            const auto bit = place(tree.bit_of(static_cast<std::int32_t>(i)));
            if ((tree.set_of(n)[bit / 64] >> (bit % 64) & 1) != 0) has[i] = 1;
        }
    }
    return has;
}

bool keeps_limit(const core_network& core, const product_list& products,
                 const std::vector<char>& sliced, double limit) {
    tree_annealer tree(core, price_within(limit));
    tree.load(products);
    tree.slice(sliced);
    return !is_too_large(tree);
}

}  // namespace

TEST_CASE("each slice is the one that leaves the least work, and none is chosen after the end") {
    for (const auto& network : some_networks()) {
        const auto core = unsimplified(network).core;
        if (core.operands() < 3) continue;
        random_stream random(2);
        const auto products = greedy_tree(core, {}, random, always);
        constexpr double limit = 3;
        product_price price;  // what is too large is counted where slices are chosen
        price.limit = limit;
        std::vector<char> before(core.weight.size());
        for (int choices = 1; choices < 5; ++choices) {
            tree_annealer tree(core, price);
            tree.load(products);
            std::vector<char> sliced(core.weight.size());
            int asked = 0;
            // Asked before the first choice, too.
            const bool enough =
                slice_to_limit(tree, sliced, 0, random, [&] { return ++asked <= choices + 1; });
            if (enough) break;
            REQUIRE(asked == choices + 2);
            REQUIRE(std::count(sliced.begin(), sliced.end(), 1) == choices);
            double least = 1e9;
            const auto candidates = of_too_large(core, products, before, limit);
            for (std::size_t i = 0; i < before.size(); ++i) {
                if (candidates[i] == 0) continue;
                auto other = before;
                other[i] = 1;
                least = std::min(least, work_with(core, products, other, limit));
            }
            CHECK(work_with(core, products, sliced, limit) < least + 2e-2);
            before = sliced;
        }
    }
}

TEST_CASE("every slice is needed, of trees by elimination too") {
    int seed_number = 0;
    for (const auto& network : some_networks()) {
        const auto core = unsimplified(network).core;
        if (core.operands() < 3) continue;
        for (const double limit : {2.0, 4.0, 6.0}) {
            random_stream random(static_cast<std::uint64_t>(++seed_number));
            const auto price = price_within(limit);
            const auto products = greedy_tree(core, {}, random, always);
            for (const auto& seed :
                 {sliced_seed_of(core, price, products, random, always),
                  sliced_seed_by_elimination(core, price, 0.3, random, always)}) {
                REQUIRE(seed.products.size() + 1 == place(core.operands()));
                CHECK(keeps_limit(core, seed.products, seed.sliced, limit));
                CHECK(seed.score ==
                      Approx(work_with(core, seed.products, seed.sliced, limit)).margin(2e-2));
                for (std::size_t i = 0; i < seed.sliced.size(); ++i) {
                    auto fewer = seed.sliced;
                    if (std::exchange(fewer[i], 0) != 0)
                        CHECK_FALSE(keeps_limit(core, seed.products, fewer, limit));
                }
            }
        }
    }
}

TEST_CASE("an arm's order within a limit never gets worse") {
    const auto network =
        networks::hypergraph_of(bench::bond_network(bench::box({9, 9}, true), 2, 1).data());
    const auto core = unsimplified(network).core;
    constexpr double limit = 7, no_price = -std::numeric_limits<double>::infinity();
    random_stream random(4);
    const auto products = greedy_tree(core, {}, random, always);
    const auto seed = sliced_seed_by_elimination(core, price_within(limit), 0, random, always);
    for (const bool at_once : {true, false}) {
        search_arm arm(core, {}, no_price, 3);
        if (at_once) arm.start_within(seed.products, seed.sliced, limit);
        else arm.start(products), arm.limit_to(limit, 400'000);
        double before = at_once ? seed.score + 2e-2 : 1e9;
        for (int round = 0; round < 12; ++round) {
            const std::int64_t last = arm.ladder().moves() + 40'000;
            arm.run(
                10'000, [&] { return arm.ladder().moves() < last; }, always);
            CHECK(arm.reached() <= before);
            before = arm.reached();
        }
        arm.reach_limit(always);
        CHECK(arm.reached() <= before);
        CHECK(keeps_limit(core, arm.ladder().products(), arm.ladder().sliced(), limit));
        CHECK(work_with(core, arm.ladder().products(), arm.ladder().sliced(), limit) ==
              Approx(arm.reached()).margin(2e-2));
    }
}

TEST_CASE("slices that are annealed with a tree leave it as if it were made with them") {
    auto networks = some_networks();
    networks.push_back(testing::random_network({40, 25, 6, 5, 6}, 91));  // with open indices
    for (const auto& network : networks) {
        const auto core = unsimplified(network).core;
        if (core.operands() < 3) continue;
        random_stream random(11);
        product_price price;
        price.limit = 5;
        price.penalty = 2;
        price.minimize = core.operands() % 2 == 0 ? ricci::path::objective::multiplications
                                                  : ricci::path::objective::weighed;
        tree_annealer tree(core, price);
        tree.load(greedy_tree(core, {}, random, always));
        slice_annealer slices(tree);
        slices.load(std::vector<char>(core.weight.size()));
        const double before = slices.score();
        CHECK(before == Approx(tree.score()).margin(1e-3));
        for (int s = 0; s < 20; ++s) {
            tree.sweep(1.0 + s, 2, random);
            slices.sweep(1.0 + s, 20, random);
        }
        CHECK(slices.score() <= before);
        tree_annealer fresh(core, price);
        fresh.load(tree.shape());
        fresh.slice(slices.sliced());
        CHECK(slices.log2_runs() == Approx(log2_slices(core, slices.sliced())).margin(1e-9));
        CHECK(slices.score() == Approx(fresh.score() + slices.log2_runs()).margin(1e-3));
        for (std::size_t n = 0; n < fresh.nodes().size(); ++n) {
            REQUIRE(tree.nodes()[n].size == fresh.nodes()[n].size);
            REQUIRE(tree.nodes()[n].price == fresh.nodes()[n].price);
            const auto number = static_cast<std::int32_t>(n);
            REQUIRE(std::equal(tree.set_of(number), tree.set_of(number) + tree.weights().words,
                               fresh.set_of(number)));
        }
    }
}

TEST_CASE("two summed indices at once need less than one after the other") {
    // Every one of w variables with every one of w others: 3, 2.5, 3 times 2^w for each of them
    // where 1, 2 or 3 are summed together.
    constexpr std::int32_t w = 14;
    const auto simplified =
        simplify_shapes(networks::hypergraph_of(bench::relations(w, w, 1).data()));
    random_stream random(1);
    ladder_search ladder(simplified.core, {}, 1);
    const auto tree = elimination_tree(simplified.core, {}, random, always);
    const double one = tree_score(simplified.core, tree, {});
    ladder.start(tree);
    CHECK(one >= std::log2(3.0 * w) + w - 0.1);
    CHECK(ladder.score() <= std::log2(2.65 * w) + w);
}

TEST_CASE("a lattice's lines are found in whatever order its sites come") {
    auto network =
        networks::hypergraph_of(bench::bond_network(bench::box({6, 24}, false), 2, 1).data());
    // The sites in a random order.
    std::vector<std::vector<std::int32_t>> sites;
    for (std::int32_t t = 0; t < network.operands(); ++t)
        sites.emplace_back(network.members.begin() + network.first[place(t)],
                           network.members.begin() + network.first[place(t) + 1]);
    random_stream random(9);
    for (std::size_t k = sites.size(); k > 1; --k)
        std::swap(sites[k - 1], sites[random.below(static_cast<std::uint32_t>(k))]);
    network.members.clear();
    network.first.assign(1, 0);
    for (const auto& site : sites) {
        network.members.insert(network.members.end(), site.begin(), site.end());
        network.first.push_back(static_cast<std::int32_t>(network.members.size()));
    }
    const auto core = unsimplified(network).core;
    const auto order = order_by_front(core, order_by_averages(core), 0.003);
    const auto tree = front_tree(core, order);
    product_price largest;
    largest.minimize = ricci::path::objective::largest_intermediate;
    // Six columns and the corner of the front; as its sites come the front has dozens.
    CHECK(tree_score(core, tree, largest) / 4 < 9);
    std::vector<std::int32_t> given(sites.size());
    std::iota(given.begin(), given.end(), 0);
    CHECK(tree_score(core, front_tree(core, given), largest) / 4 > 24);
}
