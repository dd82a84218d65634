// Networks whose values are known exactly, plain and scaled, on one thread and on several: small
// ones from their definitions, and those of the folder that RICCI_NETWORKS names, where it does.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>

#include <ricci/network.hpp>
#include <ricci/ricci.hpp>

#include "bench/network_generators.hpp"
#include "bench/network_known_values.hpp"
#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::bench;

namespace {

bool same_bits(const array& a, const array& b) {
    return a.size() == b.size() && a.type() == b.type() &&
           std::memcmp(a.data(), b.data(), a.size() * size_of(a.type())) == 0;
}

struct found_values {
    array plain;
    scaled with_exponent;
};

// Both ways, with the same bits on one thread and on three. For the search trials are given, so
// that the order is the same as well.
found_values values_of(const network& n, double memory = 0) {
    const contraction_order order = find_order(n, {.trials = 4, .memory = memory});
    threads(1);
    const found_values one{contract(n, order), contract_scaled(n, order)};
    threads(3);
    const found_values three{contract(n, order), contract_scaled(n, order)};
    threads(0);
    CHECK(same_bits(one.plain, three.plain));
    CHECK(same_bits(one.with_exponent.mantissa, three.with_exponent.mantissa));
    CHECK(one.with_exponent.exponent10 == three.with_exponent.exponent10);
    return one;
}

std::complex<double> in_range(const scaled& s) {
    return number_of(s.mantissa) * std::pow(10, s.exponent10);
}

void check_value(const network& n, std::complex<double> known, double tolerance = 1e-12) {
    const found_values found = values_of(n);
    CHECK(std::abs(number_of(found.plain) - known) <= tolerance * std::abs(known));
    CHECK(std::abs(in_range(found.with_exponent) - known) <= tolerance * std::abs(known));
}

}  // namespace

TEST_CASE("lattices are worth what is known of them", "[values]") {
    check_value(matchings(box({8, 8})), 12988816);
    check_value(matchings(box({3, 10})), 571);
    check_value(matchings(box({7, 9})), 0);
    check_value(colourings(box({8, 8}), 2), 2);
    check_value(colourings(box({3, 3}, true), 3), 12);
    // Along a ring the trace of a power of [[e^b, e^-b], [e^-b, e^b]].
    const double b = 0.3;
    check_value(ising(box({60}, true), b),
                std::pow(2 * std::cosh(b), 60) + std::pow(2 * std::sinh(b), 60));
    check_value(ising(box({5, 6}), 0), std::pow(2.0, 30));
    check_value(queens(6), 4);
}

TEST_CASE("circuits have amplitudes that are known", "[values]") {
    check_value(ghz(40).close(0), std::numbers::sqrt2 / 2);
    check_value(ghz(12).close((1U << 12) - 1), std::numbers::sqrt2 / 2);
    constexpr std::size_t qubits = 10, in = 389, out = 731;
    std::uint64_t reversed = 0;  // qubit 0 is the lowest bit there, and the highest of a number
    for (std::size_t q = 0; q < qubits; ++q) reversed |= (out >> (qubits - 1 - q) & 1) << q;
    check_value(qft(qubits, in).close(reversed),
                std::polar(std::pow(2.0, -5.0),
                           2 * std::numbers::pi * static_cast<double>(in * out % 1024) / 1024));
}

TEST_CASE("a value beyond the range of double has an exponent", "[values]") {
    constexpr std::size_t sites = 3000;
    const double b = 0.4;
    const scaled z = contract_scaled(ising(box({sites}, true), b));
    const double known = sites * std::log10(2 * std::cosh(b));  // the other power is nothing
    CHECK(std::log10(number_of(z.mantissa).real()) + z.exponent10 == Approx(known).epsilon(1e-13));
}

TEST_CASE("values of a folder of networks", "[values]") {
    const char* const folder = std::getenv("RICCI_NETWORKS");
    if (folder == nullptr) {
        WARN("RICCI_NETWORKS names no folder of networks");
        return;
    }
    constexpr double memory = 1.5e9, most_multiplications = 3e9;
    for (const known_value& known : known_values(folder)) {
        INFO(known.name << " " << known.kind);
        const network n = known.network_in(folder);
        const contraction_order order = find_order(n, {.trials = 4, .memory = memory});
        if (order.multiplications() > most_multiplications) {
            WARN(known.name << " takes 10^" << std::log10(order.multiplications())
                            << " multiplications, and is left out");
            continue;
        }
        const found_values found = values_of(n, memory);
        CHECK(known.error_of(found.plain) <= known.tolerance);
        CHECK(known.error_of(found.with_exponent) <= known.tolerance);
        if (!known.is_in_range()) continue;
        const std::complex<double> plain = number_of(found.plain);
        CHECK(std::abs(plain - in_range(found.with_exponent)) <= 1e-9 * std::abs(plain));
    }
}
