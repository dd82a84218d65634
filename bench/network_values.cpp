// What networks are worth, beside values that are known exactly.
//
//     bench_network_values FOLDER [SECONDS] [THREADS] [NAME ...]
//
// Plain and scaled. FOLDER has instances/NAME.txt, values/NAME.KIND.val and expected.tsv. Orders are sought for so
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

/// A number as it is written, of which no double need be as large.
struct written_number {
    explicit written_number(const std::string& text) {
        const auto e = text.find('e');
        mantissa = std::stod(text.substr(0, e));
        if (e != std::string::npos) exponent10 = std::stod(text.substr(e + 1));
        if (mantissa == 0) return;
        const double digits = std::floor(std::log10(std::abs(mantissa)));
        mantissa /= std::pow(10, digits);
        exponent10 += digits;
    }
    double mantissa = 0, exponent10 = 0;
};

/// Of values near the known one; 0 / 0 is no error.
double relative_error(complex got, complex known) {
    return std::abs(got - known) / (known == 0.0 ? 1 : std::abs(known));
}

double scaled_error(const ricci::scaled& got, const written_number& real,
                    const written_number& imaginary) {
    const double unit = std::max(real.mantissa == 0 ? -HUGE_VAL : real.exponent10,
                                 imaginary.mantissa == 0 ? -HUGE_VAL : imaginary.exponent10);
    if (unit == -HUGE_VAL) return std::abs(value_of(got.mantissa));
    const auto in_units = [&](const written_number& x) {
        return x.mantissa * std::pow(10, x.exponent10 - unit);
    };
    return relative_error(value_of(got.mantissa) * std::pow(10, got.exponent10 - unit),
                          {in_units(real), in_units(imaginary)});
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
    fmt::print("{:16} {:6} {:>8} {:>8} {:>8} {:>26} {:>9} {:>9} {:>9}\n", "network", "values",
               "order s", "run s", "scaled s", "value", "error", "scaled", "allowed");
    while (std::getline(expected, line)) {
        std::istringstream fields(line);
        std::string name, kind, what, real_text, imaginary_text;
        double allowed = 0;
        fields >> name >> kind >> what >> real_text >> imaginary_text >> allowed;
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
        const complex got = value_of(ricci::contract(n, order)),
                      known(std::strtod(real_text.c_str(), nullptr),
                            std::strtod(imaginary_text.c_str(), nullptr));
        const double ran = ricci::bench::seconds_since(start);
        start = std::chrono::steady_clock::now();
        const ricci::scaled scaled = ricci::contract_scaled(n, order);
        const double ran_scaled = ricci::bench::seconds_since(start);
        // What no double is as large as is compared with the scaled value alone.
        const double error = std::isfinite(std::abs(known)) ? relative_error(got, known) : 0;
        const double error_scaled =
            scaled_error(scaled, written_number(real_text), written_number(imaginary_text));
        const bool is_right = error <= allowed && error_scaled <= allowed;
        right = right && is_right;
        fmt::print("{:16} {:6} {:8.3f} {:8.3f} {:8.3f} {:>26} {:9.2g} {:9.2g} {:9.2g}{}\n", name,
                   kind, searched, ran, ran_scaled,
                   fmt::format("{:.16g}e{:g}", value_of(scaled.mantissa).real(), scaled.exponent10),
                   error, error_scaled, allowed, is_right ? "" : "  WRONG");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
