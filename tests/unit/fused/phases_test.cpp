// Sums and extrema of all pairs that depend on one another: each comes in a later phase of its
// group, which makes the pairs again, and none of them are stored. Compared with plain loops in long
// double.
#include <algorithm>
#include <cmath>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

matrix products(const matrix& a, const matrix& b) {
    matrix s{a.rows, b.rows, {}};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.rows; ++j) s.values.push_back(dot(a, i, b, j));
    return s;
}

/// Whole numbers, whose products are exact, so that several pairs have the largest one.
template <class T>
matrix whole_numbers(std::size_t rows, std::size_t columns, unsigned seed) {
    auto m = random_matrix<T>(rows, columns, seed, 1.4L);
    for (auto& x : m.values) x = std::round(x);
    return m;
}

// The slope of the extremum of all pairs is shared by those that are it.
template <class T>
void check_extremum(bool largest, std::size_t rows, std::size_t columns, unsigned seed) {
    INFO((largest ? "largest" : "least") << " of " << rows << " x " << columns);
    const auto p =
        ricci::value_and_gradient(ricci::parse(largest ? R"(s = \max_{ij}(Q^{ia} K^{ja}))"
                                                       : R"(s = \min_{ij}(Q^{ia} K^{ja}))")
                                      .value(),
                                  "s", {"Q", "K"});
    const auto q = whole_numbers<T>(rows, 4, seed), k = whole_numbers<T>(columns, 4, seed + 1);
    const auto got = run_everywhere<T>(
        p, {{"Q", array_of<T>(q)}, {"K", array_of<T>(k)}, {"dL/ds", 3.0}}, rows * columns);

    const auto s = products(q, k);
    const auto [least, most] = std::minmax_element(s.values.begin(), s.values.end());
    const long double found = largest ? *most : *least;
    const auto count = std::count(s.values.begin(), s.values.end(), found);
    CHECK(count > 1);
    matrix by_q{rows, 4, numbers(rows * 4)}, by_k{columns, 4, numbers(columns * 4)};
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            if (s(i, j) != found) continue;
            for (std::size_t a = 0; a < 4; ++a) {
                by_q(i, a) += 3 * k(j, a) / static_cast<long double>(count);
                by_k(j, a) += 3 * q(i, a) / static_cast<long double>(count);
            }
        }
    check_close<T>(got["s"], {1, 1, {found}});
    check_close<T>(got["dL/dQ"], by_q);
    check_close<T>(got["dL/dK"], by_k);
}

// Three sums, each of what the one before it gives; the mean of all columns needs them as well.
template <class T>
void check_moments(std::size_t rows, std::size_t columns, unsigned seed) {
    INFO(rows << " x " << columns);
    const auto p = ricci::parse(R"(
        S^{ij} = \sin(Q^{ia} K^{ja})
        m^i = \operatorname{mean}_j S^{ij}
        v^i = \operatorname{mean}_j ((S^{ij} - m^i)^2)
        Y^{ic} = \tanh(\frac{S^{ij} - m^i}{\sqrt{v^i}}) V^{jc}
        y^j = \max_i(\frac{S^{ij} - m^i}{\sqrt{v^i}})
    )")
                       .value();
    const auto q = random_matrix<T>(rows, 12, seed), k = random_matrix<T>(columns, 12, seed + 1),
               w = random_matrix<T>(columns, 3, seed + 2);
    const auto got = run_everywhere<T>(
        p, {{"Q", array_of<T>(q)}, {"K", array_of<T>(k)}, {"V", array_of<T>(w)}}, rows * columns);

    auto s = products(q, k);
    for (auto& x : s.values) x = std::sin(x);
    matrix sums{rows, 3, numbers(rows * 3)}, most{columns, 1, numbers(columns, -INFINITY)};
    for (std::size_t i = 0; i < rows; ++i) {
        long double mean = 0, square = 0;
        for (std::size_t j = 0; j < columns; ++j) mean += s(i, j) / columns;
        for (std::size_t j = 0; j < columns; ++j)
            square += (s(i, j) - mean) * (s(i, j) - mean) / columns;
        for (std::size_t j = 0; j < columns; ++j) {
            const long double x = (s(i, j) - mean) / std::sqrt(square);
            for (std::size_t c = 0; c < 3; ++c) sums(i, c) += std::tanh(x) * w(j, c);
            most(j) = std::max(most(j), x);
        }
    }
    check_close<T>(got["Y"], sums);
    check_close<T>(got["y"], most);
}

// Of each pair once: [i < j] leaves out the first column and the last row.
template <class T>
void check_energy(std::size_t n, unsigned seed) {
    INFO(n << " points");
    const auto p = ricci::value_and_gradient(ricci::parse(R"(
        E = \sum_{ij} [i < j] 4 ((\sum_a (x^{ia} - x^{ja})^2)^{-6} - (\sum_a (x^{ia} - x^{ja})^2)^{-3})
    )")
                                                 .value(),
                                             "E", {"x"});
    auto x = random_matrix<T>(n, 3, seed, 0.25L);
    for (std::size_t i = 0; i < n; ++i) {  // around the points of a grid
        const std::size_t at[] = {i % 8, i / 8 % 8, i / 64};
        for (std::size_t a = 0; a < 3; ++a)
            x(i, a) = static_cast<T>(x(i, a) + 1.5L * static_cast<long double>(at[a]));
    }
    const auto got = run_everywhere<T>(p, {{"x", array_of<T>(x)}, {"dL/dE", 1.0}}, n * n);
    matrix energy{1, 1, {0}}, slope{n, 3, numbers(3 * n)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            long double square = 0;
            for (std::size_t a = 0; a < 3; ++a) square += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
            const long double cube = 1 / (square * square * square);
            energy(0) += 4 * (cube * cube - cube);
            for (std::size_t a = 0; a < 3; ++a) {
                const long double f = 8 * (3 - 6 * cube) * cube / square * (x(i, a) - x(j, a));
                slope(i, a) += f;
                slope(j, a) -= f;
            }
        }
    check_close<T>(got["E"], energy);
    check_close<T>(got["dL/dx"], slope);
}

}  // namespace

TEST_CASE("the slope of an extremum of all pairs, shared by equal ones") {
    unsigned seed = 1;
    for (const extents& e : {extents{130, 257}, extents{300, 90}})
        for (const bool largest : {true, false}) {
            check_extremum<float>(largest, e[0], e[1], seed);
            check_extremum<double>(largest, e[0], e[1], seed++);
        }
}

TEST_CASE("sums of all pairs, each of what the one before it gives") {
    unsigned seed = 11;
    for (const extents& e : {extents{130, 257}, extents{300, 90}}) {
        check_moments<float>(e[0], e[1], seed);
        check_moments<double>(e[0], e[1], seed++);
    }
}

TEST_CASE("the energy of each pair once, and its slope") {
    unsigned seed = 21;
    for (const std::size_t n : {130u, 300u}) {
        check_energy<float>(n, seed);
        check_energy<double>(n, seed++);
    }
}
