// Counting on lattices, held against what is known exactly: the partition function of Ising spins
// on a torus at the critical point (Kaufman), perfect matchings of a grid (Kasteleyn), its proper
// colourings (a transfer matrix). The long lattices have values beyond the range of double.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

namespace {

using bond = std::pair<std::size_t, std::size_t>;  // two sites

std::vector<bond> bonds_of(std::size_t rows, std::size_t columns, bool torus) {
    std::vector<bond> all;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            if (torus || r + 1 < rows)
                all.emplace_back(r * columns + c, (r + 1) % rows * columns + c);
            if (torus || c + 1 < columns)
                all.emplace_back(r * columns + c, r * columns + (c + 1) % columns);
        }
    return all;
}

/// A state for each site, an index of the network, and a weight for the states of both ends of each
/// bond.
ricci::network pairs_of_states(const std::vector<bond>& bonds, const ricci::array& weights) {
    ricci::network n;
    for (const auto& [a, b] : bonds) n.add(weights, {a, b});
    return n;
}

// Spins ---------------------------------------------------------------------------------------------

const double critical = std::log(1 + std::sqrt(2.0)) / 2;

ricci::network ising(std::size_t rows, std::size_t columns) {
    ricci::array weights(ricci::element::f64, {2, 2});
    auto* const values = static_cast<double*>(weights.data());
    values[0] = values[3] = std::exp(critical);
    values[1] = values[2] = std::exp(-critical);
    return pairs_of_states(bonds_of(rows, columns, true), weights);
}

/// The logarithm of the partition function, by B. Kaufman, Phys. Rev. 76 (1949) 1232.
double kaufman(std::size_t rows, std::size_t columns) {
    const double k = 2 * critical, m = static_cast<double>(rows), n = static_cast<double>(columns);
    // Logarithms of products of 2 cosh and 2 sinh over odd and even multiples of pi / n.
    double cosh_odd = 0, sinh_odd = 0, cosh_even = 0;
    for (std::size_t r = 0; r < 2 * columns; ++r) {
        const double angle = std::numbers::pi * static_cast<double>(r) / n;
        const double gamma =
            std::acosh(std::max(std::cosh(k) / std::tanh(k) - std::cos(angle), 1.0));
        const double half = m * gamma / 2;
        (r % 2 == 0 ? cosh_even : cosh_odd) += half + std::log1p(std::exp(-2 * half));
        if (r % 2 != 0) sinh_odd += half + std::log1p(-std::exp(-2 * half));
    }
    // The fourth product, of 2 sinh over even ones, is 0 at the critical point: so is one factor.
    const double most = std::max({cosh_odd, sinh_odd, cosh_even});
    const double sum =
        std::exp(cosh_odd - most) + std::exp(sinh_odd - most) + std::exp(cosh_even - most);
    return m * n / 2 * std::log(2 * std::sinh(k)) + most + std::log(sum / 2);
}

// Matchings -----------------------------------------------------------------------------------------

/// A tensor for each site, 1 where exactly one of its bonds, the indices of the network, is taken.
ricci::network matchings(std::size_t rows, std::size_t columns) {
    const auto bonds = bonds_of(rows, columns, false);
    std::vector<std::vector<std::int64_t>> of_site(rows * columns);
    for (std::size_t b = 0; b < bonds.size(); ++b) {
        of_site[bonds[b].first].push_back(static_cast<std::int64_t>(b));
        of_site[bonds[b].second].push_back(static_cast<std::int64_t>(b));
    }
    ricci::network n;
    for (const auto& list : of_site) {
        ricci::array a(ricci::element::f64, std::vector<std::size_t>(list.size(), 2));
        for (std::size_t k = 0; k < list.size(); ++k)
            static_cast<double*>(a.data())[std::size_t{1} << k] = 1;
        n.add(std::move(a), list);
    }
    return n;
}

/// The logarithm of their number, by P. W. Kasteleyn, Physica 27 (1961) 1209.
double kasteleyn(std::size_t rows, std::size_t columns) {
    const auto term = [](std::size_t k, std::size_t of) {
        const double c =
            2 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(of + 1));
        return c * c;
    };
    double sum = 0;
    for (std::size_t j = 1; j <= (rows + 1) / 2; ++j)
        for (std::size_t k = 1; k <= (columns + 1) / 2; ++k)
            sum += std::log(term(j, rows) + term(k, columns));
    return sum;
}

// Colourings ----------------------------------------------------------------------------------------

ricci::network colourings(std::size_t rows, std::size_t columns, std::size_t colours) {
    ricci::array differ(ricci::element::f64, {colours, colours});
    for (std::size_t k = 0; k < colours * colours; ++k)
        static_cast<double*>(differ.data())[k] = k / colours == k % colours ? 0 : 1;
    return pairs_of_states(bonds_of(rows, columns, false), differ);
}

/// The logarithm of the number of colourings, column by column: of all colourings of one column
/// those that fit beside each of the next.
double by_columns(std::size_t rows, std::size_t columns, std::size_t colours) {
    std::vector<std::vector<std::size_t>> states{{}};
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<std::vector<std::size_t>> longer;
        for (const auto& s : states)
            for (std::size_t c = 0; c < colours; ++c)
                if (s.empty() || s.back() != c) {
                    longer.push_back(s);
                    longer.back().push_back(c);
                }
        states = std::move(longer);
    }
    const auto fit = [&](std::size_t a, std::size_t b) {
        for (std::size_t r = 0; r < rows; ++r)
            if (states[a][r] == states[b][r]) return false;
        return true;
    };
    std::vector<double> ways(states.size(), 1.0);
    double logarithm = 0;
    for (std::size_t c = 1; c < columns; ++c) {
        std::vector<double> next(states.size());
        for (std::size_t a = 0; a < states.size(); ++a)
            for (std::size_t b = 0; b < states.size(); ++b)
                if (fit(a, b)) next[b] += ways[a];
        const double most = *std::max_element(next.begin(), next.end());
        logarithm += std::log(most);
        for (double& w : next) w /= most;
        ways = std::move(next);
    }
    double sum = 0;
    for (const double w : ways) sum += w;
    return logarithm + std::log(sum);
}

// ---------------------------------------------------------------------------------------------------

/// Whether the value of a network has this natural logarithm.
bool check(const char* name, std::size_t rows, std::size_t columns, const ricci::network& n,
           double exact) {
    const ricci::contraction_order order = ricci::find_order(n);
    const ricci::scaled got = ricci::contract_scaled(n, order);
    const double mantissa = *static_cast<const double*>(got.mantissa.data());
    const double logarithm = std::log(mantissa) + got.exponent10 * std::log(10.0);
    const double error = std::abs(std::expm1(logarithm - exact));
    const bool is_right = error < 1e-9;
    fmt::print("{:10} {:3} x {:<3} {:5} tensors  {:.12f} * 10^{:<5g} error {:.1e}{}\n", name, rows,
               columns, n.size(), mantissa, got.exponent10, error, is_right ? "" : "  WRONG");
    return is_right;
}

}  // namespace

int main() {
    bool right = true;
    const std::pair<std::size_t, std::size_t> tori[] = {{4, 4}, {8, 8}, {10, 10}, {250, 6}};
    for (const auto& [r, c] : tori)
        right = check("spins", r, c, ising(r, c), kaufman(r, c)) && right;
    const std::pair<std::size_t, std::size_t> grids[] = {{8, 8}, {9, 10}, {10, 300}};
    for (const auto& [r, c] : grids)
        right = check("matchings", r, c, matchings(r, c), kasteleyn(r, c)) && right;
    const std::pair<std::size_t, std::size_t> boards[] = {{4, 4}, {6, 400}};
    for (const auto& [r, c] : boards)
        right = check("colourings", r, c, colourings(r, c, 3), by_columns(r, c, 3)) && right;
    return right ? 0 : 1;
}
