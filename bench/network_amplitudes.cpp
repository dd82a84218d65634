// What several amplitudes of a circuit cost beside one:
//
//     bench_network_amplitudes FOLDER [NAME] [QUBITS] [SECONDS] [THREADS]
//
// FOLDER has instances/NAME.txt and values/NAME.amp.val (sycamore_m10), a network of one amplitude.
// The last tensors that stand for so many qubits (6) get an open index: at place 0 they are as the
// file says, at place 1 turned round. Orders are sought for so many seconds (10).
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "bench/network_instances.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using complex = std::complex<double>;

constexpr std::int64_t first_open = 1'000'000;

// The tensor twice, the second time from its end: with an axis more.
ricci::array with_open_axis(const ricci::array& a) {
    std::vector<std::size_t> extents(a.extents().begin(), a.extents().end());
    extents.push_back(2);
    ricci::array made(ricci::element::c128, extents);
    const auto* const from = static_cast<const complex*>(a.data());
    auto* const to = static_cast<complex*>(made.data());
    for (std::size_t k = 0; k < a.size(); ++k) {
        to[2 * k] = from[k];
        to[2 * k + 1] = from[a.size() - 1 - k];
    }
    return made;
}

ricci::network opened_network(const ricci::network& closed, std::size_t qubits) {
    ricci::network made;
    std::vector<std::int64_t> open;
    for (std::size_t k = 0; k < closed.size(); ++k) {
        std::vector<std::int64_t> indices = closed.indices(k);
        if (k + qubits < closed.size()) {
            made.add(closed.operand(k), indices);
            continue;
        }
        open.push_back(first_open + static_cast<std::int64_t>(open.size()));
        indices.push_back(open.back());
        made.add(with_open_axis(closed.operand(k)), indices);
    }
    made.keep(open);
    return made;
}

ricci::array all_choices(std::size_t qubits, std::size_t count) {
    ricci::array table(ricci::element::i64, {count, qubits});
    auto* const places = static_cast<std::int64_t*>(table.data());
    for (std::size_t row = 0; row < count; ++row)
        for (std::size_t q = 0; q < qubits; ++q)
            places[row * qubits + q] = static_cast<std::int64_t>(row >> q & 1);
    return table;
}

double measure(const ricci::network& n, const ricci::contraction_order& order, std::size_t qubits,
               std::size_t count, complex& first) {
    const ricci::array table = all_choices(qubits, count);
    const std::vector<std::int64_t> kept = n.kept();
    double least = HUGE_VAL;
    for (int round = 0; round < 2; ++round) {
        const auto start = std::chrono::steady_clock::now();
        const auto found = ricci::amplitudes(n, order, kept, table);
        least = std::min(least, ricci::bench::seconds_since(start));
        first = *static_cast<const complex*>(found[0].data());
    }
    fmt::print(
        "{:4} amplitudes: {:8.3f} s, order of 10^{:.3f} multiplications, largest 2^{:.1f}, "
        "{} slices\n",
        count, least, std::log10(order.multiplications()), std::log2(order.largest()),
        order.slices());
    return least;
}

}  // namespace

int main(int count, char** words) try {
    if (count < 2) throw std::runtime_error("bench_network_amplitudes FOLDER [NAME] [QUBITS]");
    const std::string folder = words[1], name = count > 2 ? words[2] : "sycamore_m10";
    const auto qubits = static_cast<std::size_t>(count > 3 ? std::atoi(words[3]) : 6);
    const double seconds = count > 4 ? std::atof(words[4]) : 10;
    ricci::runtime::set_worker_count(count > 5 ? std::atoi(words[5]) : 0);
    const auto shapes = ricci::bench::read_instance(folder + "/instances/" + name + ".txt");
    const auto closed = ricci::bench::read_values(shapes, folder + "/values/" + name + ".amp.val");
    const ricci::network n = opened_network(closed, qubits);
    const std::int64_t many = std::int64_t{1} << qubits;
    complex one_value, first_value;
    const double one =
        measure(n, ricci::find_order(n, {.seconds = seconds, .choices = 1}), qubits, 1, one_value);
    const double all = measure(n, ricci::find_order(n, {.seconds = seconds, .choices = many}),
                               qubits, static_cast<std::size_t>(many), first_value);
    fmt::print("{:.2f} times one; both have the first amplitude within {:.2g}\n", all / one,
               std::abs(one_value - first_value) / std::abs(one_value));
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
