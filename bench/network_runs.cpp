// How fast networks run in a given order, beside the peak of the machine, in double:
//
//     bench_network_runs [THREADS]
//
// Each network is prepared once, then run with all its values changed: nothing is planned or
// allocated.
// Sliced ones, and those with sub-trees, are run with one thread and with all in turn.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "bench/network_generators.hpp"
#include "bench/peak.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using pairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct network_case {
    std::string name;
    ricci::network network;
    pairs order;
};

ricci::array tensor(std::vector<std::size_t> extents) {
    ricci::array a(ricci::element::f64, extents);
    double size = 1;
    for (const std::size_t e : extents) size *= static_cast<double>(e);
    auto* const values = static_cast<double*>(a.data());
    for (std::size_t k = 0; k < a.size(); ++k)
        values[k] = (static_cast<double>(k * 7 % 13) - 6) / std::max(size, 16.0);
    return a;
}

// One after another: ((0 1) 2) 3 ...
pairs one_by_one(std::size_t operands) {
    pairs all;
    for (std::size_t k = 1; k < operands; ++k) all.push_back({k == 1 ? 0 : operands + k - 2, k});
    return all;
}

network_case chain(const std::string& name, const std::vector<std::size_t>& extents) {
    network_case c{name, {}, one_by_one(extents.size() - 1)};
    for (std::size_t k = 0; k + 1 < extents.size(); ++k)
        c.network.add(tensor({extents[k], extents[k + 1]}), {k, k + 1});
    c.network.keep({std::size_t{0}, extents.size() - 1});
    return c;
}

std::vector<std::size_t> drawn_extents(std::size_t count, std::size_t least, std::size_t most) {
    std::vector<std::size_t> all;
    std::uint64_t state = 1;
    for (std::size_t k = 0; k < count; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        all.push_back(least + (state >> 33) % (most - least + 1));
    }
    return all;
}

// <a|b> of two states of so many sites, from the left: (E a) b.
network_case inner_product(std::size_t sites, std::size_t bond, std::size_t states) {
    network_case c{fmt::format("inner product, {} sites, bond {}", sites, bond), {}, {}};
    for (const std::size_t of : {std::size_t{0}, std::size_t{1}})
        for (std::size_t k = 0; k < sites; ++k) {
            const std::size_t left = 1000 * (of + 1) + k;
            if (k == 0) c.network.add(tensor({states, bond}), {k, left + 1});
            else if (k + 1 == sites) c.network.add(tensor({bond, states}), {left, k});
            else c.network.add(tensor({bond, states, bond}), {left, k, left + 1});
        }
    std::size_t next = 2 * sites;
    c.order.push_back({0, sites});
    for (std::size_t k = 1; k < sites; ++k) {
        c.order.push_back({next++, k});
        c.order.push_back({next++, sites + k});
    }
    return c;
}

// So many matrices of n x n in a row, multiplied by twos.
network_case tree_of_matrices(std::size_t count, std::size_t n) {
    network_case c{fmt::format("tree of {} matrices of {} x {}", count, n, n), {}, {}};
    for (std::size_t k = 0; k < count; ++k) {
        c.network.add(tensor({n, n}), {k, k + 1});
        if (k + 1 < count) c.order.push_back({2 * k, 2 * k + 1});
    }
    c.network.keep({std::size_t{0}, count});
    return c;
}

// The median of seven, in seconds.
template <class Work>
double median_of(const Work& work) {
    work();
    const int times = ricci::bench::repetitions_for(0.1, work);
    std::vector<double> seconds;
    for (int round = 0; round < 7; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < times; ++k) work();
        seconds.push_back(ricci::bench::seconds_since(start) / times);
    }
    return ricci::bench::median(seconds);
}

void measure(const network_case& c, double peak) {
    const auto order = c.order.empty() ? ricci::find_order(c.network, {.trials = 1})
                                       : ricci::contraction_order::from_ssa(c.network, c.order);
    const auto begun = std::chrono::steady_clock::now();
    ricci::prepared_network p = ricci::prepare(c.network, order);
    const double planning = ricci::bench::seconds_since(begun);
    const auto bind = [&] {
        for (std::size_t k = 0; k < c.network.size(); ++k) p.bind(k, c.network.operand(k));
    };
    const double median = median_of([&] {
        bind();
        p();
    });
    const double bound = median_of(bind);
    const auto products = static_cast<double>(c.network.size() - 1);
    fmt::print(
        "{:42} {:8.3g} ms  plan {:8.3g} ms  {:7.0f} ns a product, {:3.0f} of them to bind  {:5.2f} "
        "of "
        "the peak\n",
        c.name, 1e3 * median, 1e3 * planning, 1e9 * median / products, 1e9 * bound / products,
        2e-9 * order.multiplications() / median / peak);
}

// With one thread and with all in turn, the least of many rounds: what runs besides on the machine
// takes from all threads most.
void measure_threads(const std::string& name, const ricci::network& n,
                     const ricci::contraction_order& order, int threads) {
    ricci::prepared_network p = ricci::prepare(n, order);
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < 25; ++round)
        for (const int several : {0, 1}) {
            ricci::runtime::set_worker_count(several == 1 ? threads : 1);
            for (std::size_t k = 0; k < n.size(); ++k) p.bind(k, n.operand(k));
            const auto start = std::chrono::steady_clock::now();
            p();
            least[several] = std::min(least[several], ricci::bench::seconds_since(start));
        }
    ricci::runtime::set_worker_count(threads);
    fmt::print("{:42} {:8.3g} ms  with one thread {:8.3g} ms: {:.2f} times as fast\n", name,
               1e3 * least[1], 1e3 * least[0], least[0] / least[1]);
}

// A torus of so many sites a side, whose intermediates are to take so many bytes.
void measure_slices(std::size_t side, double memory, int threads) {
    const ricci::network n =
        ricci::bench::bond_network(ricci::bench::box({side, side}, true), 2, 1);
    const auto order = ricci::find_order(n, {.trials = 1, .memory = memory});
    measure_threads(fmt::format("torus of {} x {}, {} slices", side, side, order.slices()), n,
                    order, threads);
}

// Sub-trees that run at the same time.
void measure_sub_trees(const network_case& c, int threads) {
    const auto order = c.order.empty() ? ricci::find_order(c.network, {.trials = 1})
                                       : ricci::contraction_order::from_ssa(c.network, c.order);
    measure_threads(c.name, c.network, order, threads);
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 1;
    ricci::runtime::set_worker_count(threads);
    const double peak = ricci::bench::peak_gflops<double>(threads);
    fmt::print("{} threads, peak {:.0f} GFLOP/s, double\n", threads, peak);
    measure(chain("1,000 products of 2 x 2", std::vector<std::size_t>(1002, 2)), peak);
    measure(chain("1,000 products of 8 x 8", std::vector<std::size_t>(1002, 8)), peak);
    measure(chain("1,000 products of 32 x 32", std::vector<std::size_t>(1002, 32)), peak);
    measure(chain("100 matrices of 64 to 512", drawn_extents(101, 64, 512)), peak);
    measure(inner_product(100, 16, 2), peak);
    measure(inner_product(100, 128, 2), peak);
    measure({"inner product, 100 sites, bond 2", ricci::bench::mps_inner_product(100, 2, 2, 1), {}},
            peak);
    measure({"inner product, 100 sites, bond 4", ricci::bench::mps_inner_product(100, 2, 4, 1), {}},
            peak);
    measure({"grid of 3 x 300, bond 2",
             ricci::bench::bond_network(ricci::bench::box({3, 300}, false), 2, 1),
             {}},
            peak);
    for (const std::size_t n : {2u, 8u, 32u}) measure(tree_of_matrices(1024, n), peak);
    measure_slices(8, 100e3, threads);
    measure_slices(8, 200e3, threads);
    for (const std::size_t n : {8u, 32u, 64u})
        measure_sub_trees(tree_of_matrices(1024, n), threads);
    const auto grid = [](std::size_t rows, std::size_t columns) {
        return network_case{
            fmt::format("grid of {} x {}, bond 2", rows, columns),
            ricci::bench::bond_network(ricci::bench::box({rows, columns}, false), 2, 1),
            {}};
    };
    measure_sub_trees(grid(3, 300), threads);
    measure_sub_trees(grid(8, 100), threads);
}
