// What networks are worth, beside values that are known exactly.
//
//     bench_network_values FOLDER [SECONDS] [THREADS] [NAME ...]
//
// Plain and scaled. FOLDER has instances/NAME.txt, values/NAME.KIND.val and expected.tsv. Orders
// are sought for so many seconds (2). Exits with 1 where a value is not within its tolerance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "bench/network_known_values.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

int main(int count, char** words) try {
    if (count < 2) throw std::runtime_error("bench_network_values FOLDER [SECONDS] [THREADS]");
    const std::string folder = words[1];
    const double seconds = count > 2 ? std::atof(words[2]) : 2;
    ricci::runtime::set_worker_count(count > 3 ? std::atoi(words[3]) : 0);
    const std::vector<std::string> names(words + std::min(count, 4), words + count);
    bool right = true;
    fmt::print("{:16} {:6} {:>8} {:>8} {:>8} {:>26} {:>9} {:>9} {:>9}\n", "network", "values",
               "order s", "run s", "scaled s", "value", "error", "scaled", "allowed");
    for (const ricci::bench::known_value& known : ricci::bench::known_values(folder)) {
        const auto& [name, kind, real_text, imaginary_text, allowed] = known;
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
        const ricci::network n = known.network_in(folder);
        auto start = std::chrono::steady_clock::now();
        const auto order = ricci::find_order(n, {.seconds = seconds});
        const double searched = ricci::bench::seconds_since(start);
        if (order.multiplications() > 1e13) {
            fmt::print("{:16} {:6} {:8.3f}  1e{:.1f} multiplications are not run\n", name, kind,
                       searched, std::log10(order.multiplications()));
            continue;
        }
        start = std::chrono::steady_clock::now();
        const ricci::array plain = ricci::contract(n, order);
        const double ran = ricci::bench::seconds_since(start);
        start = std::chrono::steady_clock::now();
        const ricci::scaled scaled = ricci::contract_scaled(n, order);
        const double ran_scaled = ricci::bench::seconds_since(start);
        const double error = known.error_of(plain), error_scaled = known.error_of(scaled);
        const bool is_right = error <= allowed && error_scaled <= allowed;
        right = right && is_right;
        fmt::print("{:16} {:6} {:8.3f} {:8.3f} {:8.3f} {:>26} {:9.2g} {:9.2g} {:9.2g}{}\n", name,
                   kind, searched, ran, ran_scaled,
                   fmt::format("{:.16g}e{:g}", ricci::bench::number_of(scaled.mantissa).real(),
                               scaled.exponent10),
                   error, error_scaled, allowed, is_right ? "" : "  WRONG");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
