// How fast networks of text files run, in double, beside the peak of the machine and beside their
// products one by one:
//
//     bench_network_instance_runs FOLDER [THREADS] [SECONDS] [NAME ...]
//
// FOLDER has instances/NAME.txt; values are random. Orders are sought for so many seconds (2), and
// each network is run with all of its tensors changed. closed:NAME is a network with open indices,
// closed with itself. One by one, each product runs by itself many times over, on dense operands as
// it reads them best: what its steps could take at the least. With RICCI_BENCH_PATHS=FOLDER the
// order of each network is written there, for bench/peers/network_numpy.py.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "bench/network_instances.hpp"
#include "bench/networks/parts.hpp"
#include "bench/peak.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using ricci::bench::index_numbers;

/// Of numbers in [0, 1) over the square root of the tensor's size, so that products keep in range.
ricci::array values_for(const ricci::bench::instance& shapes, const index_numbers& indices,
                        ricci::bench::random_numbers& random) {
    std::vector<std::size_t> extents;
    for (const std::int64_t i : indices) extents.push_back(shapes.extent(i));
    ricci::array a = ricci::bench::random_tensor(extents, random);
    auto* const values = static_cast<double*>(a.data());
    const double scale = 1 / std::sqrt(static_cast<double>(a.size()));
    for (std::size_t k = 0; k < a.size(); ++k) values[k] *= scale;
    return a;
}

/// Closed: a second copy has the same open indices and others for the rest.
ricci::network network_of(const ricci::bench::instance& shapes, bool is_closed) {
    ricci::bench::random_numbers random(1);
    ricci::network n;
    for (const index_numbers& indices : shapes.operands)
        n.add(values_for(shapes, indices, random), indices);
    if (!is_closed) {
        n.keep(shapes.open);
        return n;
    }
    std::int64_t most = 0;
    for (const index_numbers& indices : shapes.operands)
        for (const std::int64_t i : indices) most = std::max(most, i);
    for (std::size_t k = 0; k < shapes.operands.size(); ++k) {
        index_numbers indices = shapes.operands[k];
        for (std::int64_t& i : indices)
            if (std::find(shapes.open.begin(), shapes.open.end(), i) == shapes.open.end())
                i += most + 1;
        n.add(n.operand(k), indices);
    }
    return n;
}

using product_shape = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

/// The products of an order as batches of matrix products: batch, m, n, k.
std::map<product_shape, int> products_of(const ricci::network& n,
                                         const ricci::contraction_order& order) {
    std::map<std::int64_t, int> holders;
    std::map<std::int64_t, std::size_t> parts;
    for (const ricci::sliced_index& s : order.sliced())
        parts[s.index] = static_cast<std::size_t>(s.parts);
    std::vector<index_numbers> entries;
    const auto once = [](index_numbers list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    };
    for (std::size_t k = 0; k < n.size(); ++k) {
        entries.push_back(once(n.indices(k)));
        for (const std::int64_t i : entries.back()) ++holders[i];
    }
    for (const std::int64_t i : n.kept()) ++holders[i];
    std::map<product_shape, int> all;
    for (const auto& [a, b] : order.ssa()) {
        index_numbers result;
        std::size_t batch = 1, rows = 1, columns = 1, sums = 1;
        index_numbers both = entries[a];
        both.insert(both.end(), entries[b].begin(), entries[b].end());
        for (const std::int64_t i : once(both)) {
            const bool in_a = std::binary_search(entries[a].begin(), entries[a].end(), i);
            const bool in_b = std::binary_search(entries[b].begin(), entries[b].end(), i);
            const std::size_t cut = parts.contains(i) ? parts[i] : 1;
            const std::size_t extent = (n.extent(i) + cut - 1) / cut;
            if (in_a && in_b) --holders[i];
            const bool is_kept = holders[i] > 1;
            if (is_kept) result.push_back(i);
            (!is_kept ? sums : in_a && in_b ? batch : in_a ? rows : columns) *= extent;
        }
        entries.push_back(result);
        ++all[{batch, rows, columns, sums}];
    }
    return all;
}

/// Seconds that all products take, each as often as it is there.
double seconds_one_by_one(const std::map<product_shape, int>& products) {
    double sum = 0;
    ricci::bench::random_numbers random(2);
    for (const auto& [shape, count] : products) {
        const auto& [batch, rows, columns, sums] = shape;
        ricci::network n;
        n.add(ricci::bench::random_tensor({batch, rows, sums}, random), {0, 1, 3});
        n.add(ricci::bench::random_tensor({batch, sums, columns}, random), {0, 3, 2});
        n.keep({0, 1, 2});
        ricci::prepared_network p = ricci::prepare(n, ricci::find_order(n, {.trials = 1}));
        const auto run = [&] {
            p.bind(0, n.operand(0));
            p();
        };
        const int times = ricci::bench::repetitions_for(0.01, run);
        std::vector<double> seconds;
        for (int round = 0; round < 5; ++round) {
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < times; ++k) run();
            seconds.push_back(ricci::bench::seconds_since(start) / times);
        }
        sum += count * *std::min_element(seconds.begin(), seconds.end());
    }
    return sum;
}

void write_path(const std::string& file, const ricci::network& n,
                const ricci::contraction_order& order) {
    std::ofstream out(file);
    for (std::size_t k = 0; k < n.size(); ++k)
        for (std::size_t axis = 0; axis < n.indices(k).size(); ++axis)
            out << (axis == 0 ? "" : " ") << n.indices(k)[axis] << ":" << n.operand(k).extent(axis)
                << (axis + 1 == n.indices(k).size() ? "\n" : "");
    out << "out:";
    for (const std::int64_t i : n.kept()) out << " " << i;
    out << "\nssa:";
    for (const auto& [a, b] : order.ssa()) out << " " << a << "," << b;
    out << "\n";
}

void measure(const std::string& folder, const std::string& name, double seconds, double peak) {
    const bool is_closed = name.starts_with("closed:");
    const std::string file = is_closed ? name.substr(name.find(':') + 1) : name;
    const ricci::network n =
        network_of(ricci::bench::read_instance(folder + "/instances/" + file + ".txt"), is_closed);
    const auto order = ricci::find_order(n, {.seconds = seconds});
    if (const char* const to = std::getenv("RICCI_BENCH_PATHS"))
        write_path(fmt::format("{}/{}.path", to, file), n, order);
    ricci::prepared_network p = ricci::prepare(n, order);
    const auto run = [&] {
        for (std::size_t k = 0; k < n.size(); ++k) p.bind(k, n.operand(k));
        p();
    };
    run();
    const int times = ricci::bench::repetitions_for(0.1, run);
    std::vector<double> all;
    for (int round = 0; round < 5; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < times; ++k) run();
        all.push_back(ricci::bench::seconds_since(start) / times);
    }
    const double median = ricci::bench::median(all);
    const double alone = seconds_one_by_one(products_of(n, order));
    fmt::print("{:20} {:5} tensors  10^{:<6.3f} {:4} slices  {:9.4g} ms  {:5.2f} of the peak", name,
               n.size(), std::log10(order.multiplications()), order.slices(), 1e3 * median,
               2e-9 * order.multiplications() / median / peak);
    if (order.slices() == 1) fmt::print("  {:5.2f} of the products one by one", alone / median);
    fmt::print("\n");
}

}  // namespace

int main(int count, char** words) try {
    if (count < 2) {
        fmt::print(stderr, "bench_network_instance_runs FOLDER [THREADS] [SECONDS] [NAME ...]\n");
        return 1;
    }
    const int threads = count > 2 ? std::atoi(words[2]) : 1;
    const double seconds = count > 3 ? std::atof(words[3]) : 2;
    std::vector<std::string> names(words + std::min(count, 4), words + count);
    if (names.empty())
        names = {"closed:mera_open_26", "lm_sentence_4_4d", "light_415", "peps_norm_6x6",
                 "mps_mpo_mps_50",      "grid_16x16",       "reg3_100"};
    ricci::runtime::set_worker_count(threads);
    const double peak = ricci::bench::peak_gflops<double>(threads);
    fmt::print("{} threads, peak {:.0f} GFLOP/s, double\n", threads, peak);
    for (const std::string& name : names) measure(words[1], name, seconds, peak);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
