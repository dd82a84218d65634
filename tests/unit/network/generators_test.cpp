// Networks from their definitions, against values that are known: counts, amplitudes, sums by brute
// force.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <set>
#include <vector>

#include "bench/network_generators.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/brute_force.hpp"
#include "tests/unit/network/naive_contraction.hpp"

using namespace ricci;
using namespace ricci::bench;
using ricci::testing::brute_force;
using ricci::testing::naive_contraction;

namespace {

double value(const network& n) { return naive_contraction<double>(n).run().at(0); }
std::vector<amplitude> amplitudes_of(const network& n) {
    return naive_contraction<amplitude>(n).run();
}

}  // namespace

TEST_CASE("plain contraction is the definition") {
    random_numbers random(4);
    for (int round = 0; round < 50; ++round) {
        network n;
        const std::size_t extents[] = {2, 3, 1, 2, 4};
        for (std::size_t k = 0; k < 4; ++k) {
            index_numbers indices;
            std::vector<std::size_t> shape;
            for (std::size_t axis = random.below(4); axis > 0; --axis) {
                const std::size_t i = random.below(5);
                indices.push_back(static_cast<std::int64_t>(i));
                shape.push_back(extents[i]);
            }
            n.add(random_tensor(shape, random), indices);
        }
        index_numbers kept;
        for (const std::int64_t i : n.indices())
            if (random.below(3) == 0) kept.push_back(i);
        n.keep(kept);
        const std::vector<double> right = brute_force(n), mine = naive_contraction<double>(n).run(),
                                  other =
                                      naive_contraction<double>(n).run({{1, 3}, {4, 0}, {5, 2}});
        REQUIRE(mine.size() == right.size());
        for (std::size_t k = 0; k < right.size(); ++k) {
            CHECK(mine[k] == Approx(right[k]));
            CHECK(other[k] == Approx(right[k]));
        }
    }
}

TEST_CASE("perfect matchings and colourings of boxes") {
    CHECK(value(matchings(box({2, 3}))) == 3);
    CHECK(value(matchings(box({4, 4}))) == 36);
    CHECK(value(matchings(box({6, 6}))) == 6728);
    CHECK(value(matchings(box({2, 2, 2}))) == 9);
    CHECK(value(matchings(box({3, 3}))) == 0);
    CHECK(value(colourings(box({3, 3}), 3)) == 246);
    CHECK(value(colourings(box({3, 3}, true), 3)) == 12);  // Latin squares
}

TEST_CASE("Ising spins on a ring") {
    // The trace of a power of [[e^b, e^-b], [e^-b, e^b]].
    const double b = 0.3;
    CHECK(value(ising(box({7}, true), b)) ==
          Approx(std::pow(2 * std::cosh(b), 7) + std::pow(2 * std::sinh(b), 7)));
    CHECK(value(ising(box({3, 3}, true), 0)) == Approx(512));
}

TEST_CASE("lattices and regular graphs have the bonds that they say") {
    CHECK(box({4, 5}).bonds.size() == 4 * 4 + 3 * 5);
    CHECK(box({4, 5}, true).bonds.size() == 40);
    CHECK(box({3, 4, 5}, true).bonds.size() == 3 * 60);
    CHECK(box({2, 2}, true).bonds.size() == 4);
    for (const std::size_t sites : {10U, 100U, 3000U}) {
        const lattice l = random_regular(sites, 3, 5);
        CHECK(l.bonds.size() == 3 * sites / 2);
        std::set<edge> different;
        for (const auto& [a, b] : l.bonds) {
            CHECK(a != b);
            different.insert({std::min(a, b), std::max(a, b)});
        }
        CHECK(different.size() == l.bonds.size());
        for (const index_numbers& bonds : l.bonds_of_sites()) CHECK(bonds.size() == 3);
    }
    CHECK(bond_network(box({3, 3}), 4, 1).operand(4).size() == 256);
    CHECK(shapes_of(bond_network(box({3, 3}), 4, 1)).is_shape());
}

TEST_CASE("circuits have the amplitudes that they should") {
    const double half = std::numbers::sqrt2 / 2;
    CHECK(amplitudes_of(ghz(5).close(0))[0].real() == Approx(half));
    CHECK(amplitudes_of(ghz(5).close(31))[0].real() == Approx(half));
    CHECK(std::abs(amplitudes_of(ghz(5).close(7))[0]) < 1e-15);
    constexpr std::size_t qubits = 4, states = 16;
    for (std::size_t x : {0U, 1U, 6U, 15U}) {
        const std::vector<amplitude> mine = amplitudes_of(qft(qubits, x).open());
        for (std::size_t y = 0; y < states; ++y)
            CHECK(std::abs(mine[y] - std::polar(0.25, 2 * std::numbers::pi *
                                                          static_cast<double>(x * y) / 16)) <
                  1e-14);
    }
    double norm = 0;
    const std::vector<amplitude> all = amplitudes_of(random_circuit(2, 3, 6, 1).open());
    for (const amplitude& a : all) norm += std::norm(a);
    CHECK(norm == Approx(1));
    CHECK(std::abs(amplitudes_of(random_circuit(2, 3, 6, 1).close(0))[0] - all[0]) < 1e-14);
    // no product of single qubits
    CHECK(std::abs(all[0] * all[63] - all[7] * all[56]) > 1e-6);
}

TEST_CASE("states' inner products are sums over their sites") {
    for (const network& n : {mps_inner_product(4, 2, 3, 1), mps_mpo_mps(2, 2, 3, 2, 1)})
        CHECK(value(n) == Approx(brute_force(n)[0]));
    // one tensor on top, two isometries or four of the layers below, disentanglers, both halves
    CHECK(mera_norm(1, 2, 1).size() == 2 * 2 + 2);
    CHECK(mera_norm(2, 2, 1).size() == 2 * (1 + 1 + 2 + 2) + 4);
    CHECK(value(mera_norm(1, 2, 1)) == Approx(brute_force(mera_norm(1, 2, 1))[0]));
    CHECK(value(mera_norm(2, 2, 1)) > 0);
}

TEST_CASE("networks are made by name") {
    CHECK(generated_network("made-queens-28").operands() == 4252);
    CHECK(generated_network("made-relations-100").operands() == 30400);
    CHECK(generated_network("made-torus-32").indices() == 2048);
    CHECK(generated_network("made-mps-100").operands() == 200);
    CHECK(generated_network("made-nothing-3").operands() == 0);
    CHECK(generated_network("made-grid-0").operands() == 0);
}

TEST_CASE("models and formulas") {
    CHECK(value(pedigree(14, 4, 0, 3)) == Approx(1));
    CHECK(value(pedigree(7, 4, 0.5, 3)) == Approx(brute_force(pedigree(7, 4, 0.5, 3))[0]));
    CHECK(value(queens(1)) == 1);
    CHECK(value(queens(3)) == 0);
    const network four = queens(4);
    CHECK(four.size() == 16 * (1 + 4) + 16 + 28);  // lines through cells, their ends
    CHECK(naive_contraction<double>(four).run(find_order(four, {.trials = 1}).ssa())[0] == 2);
    const network five = queens(5);
    CHECK(naive_contraction<double>(five).run(find_order(five, {.trials = 1}).ssa())[0] == 10);
    const network r = relations(2, 3, 1);
    CHECK(r.size() == 2 * 5 + 3 * 6);
    CHECK(r.indices().size() == 5 + 6);
    CHECK(value(r) == Approx(brute_force(r)[0]));
    const network large = relations(100, 100, 1);
    CHECK(large.size() == 30400);
    CHECK(large.indices().size() == 10200);
    const network formula = wide_formula(12, 1);
    CHECK(value(formula) == Approx(brute_force(formula)[0]));
    CHECK(wide_formula(193400, 1).size() > 579000);
    const network sliding = sliding_formula(30, 1);
    CHECK(value(sliding) == Approx(brute_force(sliding)[0]));
    CHECK(value(sliding) == std::round(value(sliding)));
    const network band = band_formula(10, 20, 5, 2);
    CHECK(value(band) == Approx(brute_force(band)[0]));
    CHECK(value(band) == std::round(value(band)));
}
