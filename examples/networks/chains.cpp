// The energy of a chain of spins 1 as a network: a matrix product state, an operator, and the state
// again. Few sites are held against a state vector; a thousand sites of the state of Affleck,
// Kennedy, Lieb and Tasaki (Phys. Rev. Lett. 59 (1987) 799), whose energy is -2/3 a bond, have an
// inner product beyond the range of double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

namespace {

using complex = std::complex<double>;

constexpr std::size_t spins = 3;  // states of a site: 1, 0, -1

// Tensors (left, state, right) of a state, (left, out, in, right) of an operator; at the ends of
// the chain left and right have an extent of 1.
using chain = std::vector<ricci::array>;

complex* numbers(ricci::array& a) { return static_cast<complex*>(a.data()); }
const complex* numbers(const ricci::array& a) { return static_cast<const complex*>(a.data()); }

// The operator on two sites ----------------------------------------------------------------------

/// S.S + (S.S)^2 / 3 of neighbours, rows and columns 3 a + b: 4/3 where both have a spin of 2
/// together, otherwise -2/3.
std::vector<complex> bond_operator() {
    constexpr std::size_t pairs = spins * spins;
    const double r = std::sqrt(0.5);
    const complex i(0, 1);
    const complex s[3][spins][spins] = {{{0, r, 0}, {r, 0, r}, {0, r, 0}},
                                        {{0, -i * r, 0}, {i * r, 0, -i * r}, {0, i * r, 0}},
                                        {{1, 0, 0}, {0, 0, 0}, {0, 0, -1}}};
    std::vector<complex> dot(pairs * pairs), made(pairs * pairs);
    for (std::size_t row = 0; row < pairs; ++row)
        for (std::size_t column = 0; column < pairs; ++column)
            for (const auto& axis : s)
                dot[row * pairs + column] +=
                    axis[row / spins][column / spins] * axis[row % spins][column % spins];
    for (std::size_t row = 0; row < pairs; ++row)
        for (std::size_t column = 0; column < pairs; ++column) {
            complex square = 0;
            for (std::size_t k = 0; k < pairs; ++k)
                square += dot[row * pairs + k] * dot[k * pairs + column];
            made[row * pairs + column] = dot[row * pairs + column] + square / 3.0;
        }
    return made;
}

// Chains -----------------------------------------------------------------------------------------

/// The sum of the operator over all bonds. Left of a site no bond may have been taken yet (0), one
/// is taken whose left half was |p><q| (1 + 3 p + q), or all is done (last).
chain energy_operator(std::size_t sites) {
    constexpr std::size_t last = 1 + spins * spins, bond = last + 1;
    const std::vector<complex> h = bond_operator();
    ricci::array w(ricci::element::c128, {bond, spins, spins, bond});
    const auto at = [&](std::size_t left, std::size_t out, std::size_t in,
                        std::size_t right) -> complex& {
        return numbers(w)[((left * spins + out) * spins + in) * bond + right];
    };
    for (std::size_t a = 0; a < spins; ++a) {
        at(0, a, a, 0) = at(last, a, a, last) = 1;
        for (std::size_t b = 0; b < spins; ++b) {
            at(0, a, b, 1 + spins * a + b) = 1;
            for (std::size_t c = 0; c < spins; ++c)
                for (std::size_t d = 0; d < spins; ++d)
                    at(1 + spins * a + b, c, d, last) =
                        h[(spins * a + c) * spins * spins + spins * b + d];
        }
    }
    chain made(sites, w);
    ricci::array first(ricci::element::c128, {1, spins, spins, bond}),
        end(ricci::element::c128, {bond, spins, spins, 1});
    std::copy_n(numbers(w), first.size(), numbers(first));
    for (std::size_t k = 0; k < end.size(); ++k) numbers(end)[k] = numbers(w)[k * bond + last];
    made.front() = first;
    made.back() = end;
    return made;
}

chain random_state(std::size_t sites, std::size_t bond, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> number;
    chain made;
    for (std::size_t k = 0; k < sites; ++k) {
        ricci::array a(ricci::element::c128, {k == 0 ? 1 : bond, spins, k + 1 == sites ? 1 : bond});
        for (std::size_t e = 0; e < a.size(); ++e)
            numbers(a)[e] = complex(number(random), number(random));
        made.push_back(a);
    }
    return made;
}

/// Each site is two halves, each half in a singlet with its neighbour's; tensors are 3 times those
/// of norm 1, and the halves at the ends point up.
chain aklt_state(std::size_t sites) {
    const double one = 3 * std::sqrt(2.0 / 3), half = 3 * std::sqrt(1.0 / 3);
    ricci::array a(ricci::element::c128, {2, spins, 2});
    numbers(a)[(0 * spins + 0) * 2 + 1] = one;
    numbers(a)[(0 * spins + 1) * 2 + 0] = -half;
    numbers(a)[(1 * spins + 1) * 2 + 1] = half;
    numbers(a)[(1 * spins + 2) * 2 + 0] = -one;
    chain made(sites, a);
    ricci::array first(ricci::element::c128, {1, spins, 2}),
        end(ricci::element::c128, {2, spins, 1});
    std::copy_n(numbers(a), first.size(), numbers(first));
    for (std::size_t k = 0; k < end.size(); ++k) numbers(end)[k] = numbers(a)[2 * k];
    made.front() = first;
    made.back() = end;
    return made;
}

// Networks ---------------------------------------------------------------------------------------

/// <state|state>, or with an operator <state|operator|state>.
ricci::network sandwich(const chain& state, const chain* between) {
    const auto sites = static_cast<std::int64_t>(state.size());
    ricci::network n;
    for (std::int64_t k = 0; k < sites; ++k) {
        const auto bond = [&](std::int64_t layer) { return 2 * sites + layer * (sites + 1) + k; };
        const std::int64_t ket = k, bra = between == nullptr ? k : sites + k;
        const auto site = static_cast<std::size_t>(k);
        n.add(state[site], {bond(0), ket, bond(0) + 1});
        if (between != nullptr) n.add((*between)[site], {bond(1), bra, ket, bond(1) + 1});
        n.add_conjugate(state[site], {bond(2), bra, bond(2) + 1});
    }
    return n;
}

/// The quotient of two numbers that need not be within the range of double.
double energy(const chain& state) {
    const chain h = energy_operator(state.size());
    const ricci::scaled above = ricci::contract_scaled(sandwich(state, &h)),
                        below = ricci::contract_scaled(sandwich(state, nullptr));
    const complex quotient = *numbers(above.mantissa) / *numbers(below.mantissa);
    return quotient.real() * std::pow(10, above.exponent10 - below.exponent10);
}

/// The same by all elements of the state.
double energy_by_vector(const chain& state) {
    const std::size_t sites = state.size();
    std::vector<complex> all{1};  // (states so far, bond)
    std::size_t rows = 1;
    for (const ricci::array& a : state) {
        const std::size_t left = a.extent(0), right = a.extent(2);
        std::vector<complex> longer(rows * spins * right);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t l = 0; l < left; ++l)
                for (std::size_t k = 0; k < spins * right; ++k)
                    longer[r * spins * right + k] +=
                        all[r * left + l] * numbers(a)[l * spins * right + k];
        all = std::move(longer);
        rows *= spins;
    }
    const std::vector<complex> h = bond_operator();
    constexpr std::size_t pairs = spins * spins;
    double norm = 0;
    for (const complex& x : all) norm += std::norm(x);
    complex sum = 0;
    for (std::size_t site = 0, stride = 1; site + 1 < sites; ++site, stride *= spins)
        for (std::size_t s = 0; s < all.size(); ++s) {
            const std::size_t pair = s / stride % pairs;  // of these two sites
            for (std::size_t other = 0; other < pairs; ++other)
                sum += std::conj(all[s]) * h[pair * pairs + other] *
                       all[s + other * stride - pair * stride];
        }
    return sum.real() / norm;
}

bool check(const char* name, std::size_t sites, double got, double exact) {
    const double error = std::abs(got / exact - 1);
    const bool is_right = error < 1e-10;
    fmt::print("{:10} {:5} sites, energy {:.12f}, error {:.1e}{}\n", name, sites, got, error,
               is_right ? "" : "  WRONG");
    return is_right;
}

}  // namespace

int main() {
    bool right = true;
    for (const std::size_t sites : {2U, 5U, 9U}) {
        const chain state = random_state(sites, 7, static_cast<unsigned>(sites));
        right = check("random", sites, energy(state), energy_by_vector(state)) && right;
    }
    for (const std::size_t sites : {8U, 1000U}) {
        const double exact = -2.0 / 3 * static_cast<double>(sites - 1);
        right = check("AKLT", sites, energy(aklt_state(sites)), exact) && right;
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
