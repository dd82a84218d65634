// Orders of nearly the same price that move less, against every order there is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/catch.hpp"

#include "bench/network_generators.hpp"
#include "src/network/network_data.hpp"
#include "src/path/search.hpp"
#include "src/path/search/core_network.hpp"
#include "tests/unit/path/random_network.hpp"

using namespace ricci;
using namespace ricci::path;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
const double a_hundredth = std::log2(1.01);
const auto without_end = [] { return true; };

double multiplied_and_moved(const order_cost& cost) {
    return log2_objective(cost, path::objective::weighed, 1);
}

/// Calls visit(order) with every order of a network.
template <class Visit>
void for_each_order(const hypergraph& network, const Visit& visit) {
    std::vector<std::int32_t> entries(place(network.operands()));
    std::iota(entries.begin(), entries.end(), 0);
    order_found order;
    const auto extend = [&](const auto& self, const std::vector<std::int32_t>& left) -> void {
        if (left.size() == 1) visit(order);
        for (std::size_t a = 0; a < left.size(); ++a)
            for (std::size_t b = a + 1; b < left.size(); ++b) {
                auto rest = left;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(b));
                rest[a] = network.operands() + static_cast<std::int32_t>(order.products.size());
                order.products.emplace_back(left[a], left[b]);
                self(self, rest);
                order.products.pop_back();
            }
    };
    extend(extend, entries);
}

hypergraph bonds_of(const std::vector<std::size_t>& sides, bool is_torus, std::size_t bond) {
    const auto lattice = bench::box(sides, is_torus);
    return networks::hypergraph_of(bench::bond_network(lattice, bond, 1).data());
}

/// So many matrices of 2 x 2 on a tensor with as many indices beside another one: one after the
/// other, or first with each other for a few multiplications more.
hypergraph gates_on_a_tensor(int gates, double rest) {
    testing::network_maker made;
    std::vector<std::int32_t> of_tensor{made.index(rest)};
    made.open(of_tensor[0]);
    for (int k = 0; k < gates; ++k) {
        const std::int32_t in = made.index(), out = made.index();
        of_tensor.push_back(in);
        made.operand({in, out});
        made.open(out);
    }
    made.operand(of_tensor);
    return made.take();
}

order_found best_order(const hypergraph& network) {
    search_options how;
    how.trials = 1;
    return search_order(network, how);
}

}  // namespace

TEST_CASE("of the orders with about the fewest multiplications the one that moves least is found") {
    std::vector<hypergraph> networks;
    for (const double rest : {300.0, 1000.0, 5000.0})
        for (const int gates : {2, 3, 4}) networks.push_back(gates_on_a_tensor(gates, rest));
    const std::size_t with_gates = networks.size();
    for (unsigned seed = 0; seed < 60; ++seed) {
        networks.push_back(testing::random_network({5, 8, 4, 3, 2}, 700 + seed));
        const hypergraph& drawn = networks.back();
        if (unsimplified(drawn).core.operands() < drawn.operands()) networks.pop_back();  // scalars
    }
    std::size_t better = 0;
    for (const hypergraph& network : networks) {
        order_found given, best;
        double fewest = no_limit, least = no_limit;
        for_each_order(network, [&](const order_found& order) {
            const order_cost cost = cost_of(network, order);
            if (cost.log2_multiplications < fewest) {
                fewest = cost.log2_multiplications;
                given = order;
            }
            if (multiplied_and_moved(cost) < least) {
                least = multiplied_and_moved(cost);
                best = order;
            }
        });
        const order_cost before = cost_of(network, given);
        const order_cost after =
            cost_of(network, with_less_traffic(network, given, no_limit, without_end));
        CHECK(after.log2_multiplications <= fewest + a_hundredth);
        CHECK(multiplied_and_moved(after) <= multiplied_and_moved(before) + 1e-9);
        // The best of all orders may take too many multiplications.
        if (cost_of(network, best).log2_multiplications <= fewest + a_hundredth / 2)
            CHECK(multiplied_and_moved(after) == Approx(least).margin(1e-3));
        better += multiplied_and_moved(after) < multiplied_and_moved(before) - 1e-3 ? 1 : 0;
    }
    CHECK(better >= with_gates);
}

TEST_CASE("grids are multiplied in orders that move less for at most a hundredth more") {
    const hypergraph network = bonds_of({12, 12}, false, 2);
    int better = 0;
    for (const std::uint64_t seed : {0u, 1u, 2u}) {
        search_options how;
        how.trials = 1;
        how.brief = true;
        how.seed = seed;
        const order_found given = search_order(network, how);
        const order_cost before = cost_of(network, given);
        const order_cost after =
            cost_of(network, with_less_traffic(network, given, no_limit, without_end));
        CHECK(after.log2_multiplications <= before.log2_multiplications + a_hundredth);
        better += after.log2_traffic < before.log2_traffic - 0.05 ? 1 : 0;
    }
    CHECK(better > 0);
}

TEST_CASE("an order that moves less keeps within the limit, and slices stay as they are") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const hypergraph network = testing::random_network({30, 45, 4, 3, 2}, 40 + seed);
        const order_found given = best_order(network);
        const order_cost before = cost_of(network, given);
        const double limit = before.log2_largest_intermediate;
        const order_found made = with_less_traffic(network, given, std::exp2(limit), without_end);
        CHECK(cost_of(network, made).log2_largest_intermediate <= limit + 1e-6);

        const order_found stopped =
            with_less_traffic(network, given, no_limit, [] { return false; });
        CHECK(stopped.products == given.products);

        order_found sliced = given;
        const auto longest = std::max_element(network.extents.begin(), network.extents.end());
        if (*longest < 2) continue;
        sliced.slices.push_back({static_cast<std::int32_t>(longest - network.extents.begin()), 2});
        const order_found same = with_less_traffic(network, sliced, no_limit, without_end);
        CHECK(same.products == sliced.products);
        CHECK(same.slices.size() == 1);
    }
}
