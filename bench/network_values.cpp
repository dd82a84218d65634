// What networks are worth, beside values that are known exactly.
//
//     bench_network_values FOLDER [SECONDS] [THREADS] [NAME ...]
//
// FOLDER has instances/NAME.txt, values/NAME.KIND.val and expected.tsv. Orders are sought for so
// many seconds (2). Exits with 1 where a value is not within its tolerance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "bench/network_instances.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using complex = std::complex<double>;

complex value_of(const ricci::array& a) {
    const auto* const numbers = static_cast<const double*>(a.data());
    return a.type() == ricci::element::c128 ? complex(numbers[0], numbers[1]) : numbers[0];
}

}  // namespace

int main(int count, char** words) try {
    if (count < 2) throw std::runtime_error("bench_network_values FOLDER [SECONDS] [THREADS]");
    const std::string folder = words[1];
    const double seconds = count > 2 ? std::atof(words[2]) : 2;
    ricci::runtime::set_worker_count(count > 3 ? std::atoi(words[3]) : 0);
    const std::vector<std::string> names(words + std::min(count, 4), words + count);
    std::ifstream expected = ricci::bench::opened(folder + "/expected.tsv");
    std::string line;
    std::getline(expected, line);
    bool right = true;
    fmt::print("{:16} {:6} {:>8} {:>8} {:>24} {:>9} {:>9}\n", "network", "values", "order s",
               "run s", "value", "error", "allowed");
    while (std::getline(expected, line)) {
        std::istringstream fields(line);
        std::string name, kind, what;
        double real = 0, imaginary = 0, allowed = 0;
        fields >> name >> kind >> what >> real >> imaginary >> allowed;
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
        const ricci::bench::instance shapes =
            ricci::bench::read_instance(folder + "/instances/" + name + ".txt");
        const ricci::network n =
            ricci::bench::read_values(shapes, folder + "/values/" + name + "." + kind + ".val");
        auto start = std::chrono::steady_clock::now();
        const auto order = ricci::find_order(n, {.seconds = seconds});
        const double searched = ricci::bench::seconds_since(start);
        if (order.multiplications() > 1e13) {
            fmt::print("{:16} {:6} {:8.3f}  1e{:.1f} multiplications are not run\n", name, kind,
                       searched, std::log10(order.multiplications()));
            continue;
        }
        start = std::chrono::steady_clock::now();
        const complex got = value_of(ricci::contract(n, order)), known(real, imaginary);
        const double ran = ricci::bench::seconds_since(start);
        const double error = std::abs(got - known) / (known == 0.0 ? 1 : std::abs(known));
        right = right && error <= allowed;
        fmt::print("{:16} {:6} {:8.3f} {:8.3f} {:24.16g} {:9.2g} {:9.2g}{}\n", name, kind, searched,
                   ran, got.real(), error, allowed, error <= allowed ? "" : "  WRONG");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
