// Programs over all pairs against plain loops in long double: forces of bodies, log-sum-exp of a
// product, cross entropy with both gradients. Nothing of the size of all pairs is stored, and
// results have the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

template <class T>
void check_forces(std::size_t n, unsigned seed) {
    INFO(n << " bodies");
    const auto p = ricci::parse(R"(
        F^{ia} = \sum_j m^j \frac{x^{ja} - x^{ia}}{(\sum_b (x^{jb} - x^{ib})^2 + \frac{1}{64})^{3/2}}
    )")
                       .value();
    const auto x = random_matrix<T>(n, 3, seed), m = random_matrix<T>(n, 1, seed + 1);
    const auto got = run_everywhere<T>(p, {{"x", array_of<T>(x)}, {"m", array_of<T>(m, 1)}}, n * n);
    matrix expected{n, 3, numbers(3 * n)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            long double square = 1.0L / 64;
            for (std::size_t b = 0; b < 3; ++b) square += (x(j, b) - x(i, b)) * (x(j, b) - x(i, b));
            for (std::size_t a = 0; a < 3; ++a)
                expected(i, a) += m(j) * (x(j, a) - x(i, a)) / (square * std::sqrt(square));
        }
    check_close<T>(got["F"], expected);
}

matrix log_sums(const matrix& a, const matrix& b) {
    matrix result{a.rows, 1, numbers(a.rows)};
    for (std::size_t i = 0; i < a.rows; ++i) {
        long double most = -INFINITY, sum = 0;
        for (std::size_t j = 0; j < b.rows; ++j) most = std::max(most, dot(a, i, b, j));
        for (std::size_t j = 0; j < b.rows; ++j) sum += std::exp(dot(a, i, b, j) - most);
        result(i) = most + std::log(sum);
    }
    return result;
}

template <class T>
void check_log_sum(std::size_t rows, std::size_t columns, std::size_t width, unsigned seed) {
    INFO(rows << " x " << columns << ", " << width);
    const auto p = ricci::parse(R"(l^i = \log \sum_j \exp(Q^{ia} K^{ja}))").value();
    const auto q = random_matrix<T>(rows, width, seed, 2),
               k = random_matrix<T>(columns, width, seed + 1);
    const auto got =
        run_everywhere<T>(p, {{"Q", array_of<T>(q)}, {"K", array_of<T>(k)}}, rows * columns);
    check_close<T>(got["l"], log_sums(q, k));
}

template <class T>
void check_cross_entropy(std::size_t rows, std::size_t words, std::size_t width, unsigned seed) {
    INFO(rows << " x " << words << ", " << width);
    const auto loss = ricci::parse(R"(
        Z^{iv} = X^{ia} U^{va}
        L = \operatorname{mean}_i(\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i})
    )")
                          .value();
    const auto p = ricci::value_and_gradient(loss, "L", {"X", "U"});
    const auto x = random_matrix<T>(rows, width, seed),
               u = random_matrix<T>(words, width, seed + 1);
    matrix y{rows, 1, {}};
    for (std::size_t i = 0; i < rows; ++i)
        y.values.push_back(static_cast<long double>(i * 7919 % words));
    const std::vector<ricci::named> operands = {{"X", array_of<T>(x)},
                                                {"U", array_of<T>(u)},
                                                {"y", array_of<std::int32_t>(y, 1)},
                                                {"dL/dL", 1.5}};
    const auto got = run_everywhere<T>(p, operands, rows * words);

    const auto l = log_sums(x, u);
    const auto share = 1 / static_cast<long double>(rows);
    matrix value{1, 1, {0}}, by_x{rows, width, numbers(rows * width)},
        by_u{words, width, numbers(words * width)};
    for (std::size_t i = 0; i < rows; ++i) {
        const auto picked = static_cast<std::size_t>(y(i));
        value(0) += share * (l(i) - dot(x, i, u, picked));
        for (std::size_t v = 0; v < words; ++v) {
            const long double slope =
                1.5L * share * (std::exp(dot(x, i, u, v) - l(i)) - (v == picked ? 1 : 0));
            for (std::size_t a = 0; a < width; ++a) {
                by_x(i, a) += slope * u(v, a);
                by_u(v, a) += slope * x(i, a);
            }
        }
    }
    check_close<T>(got["L"], value);
    check_close<T>(got["dL/dX"], by_x);
    check_close<T>(got["dL/dU"], by_u);
}

}  // namespace

TEST_CASE("forces of bodies") {
    unsigned seed = 1;
    for (const std::size_t n : {130u, 257u, 500u}) {
        check_forces<float>(n, seed);
        check_forces<double>(n, seed++);
    }
}

TEST_CASE("log-sum-exp of a product") {
    unsigned seed = 11;
    for (const extents& e : {extents{130, 200, 16}, extents{64, 1000, 512}, extents{7, 3000, 40}}) {
        check_log_sum<float>(e[0], e[1], e[2], seed);
        check_log_sum<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("log-sum-exp of wide products, whose rows are packed whole or in blocks") {
    unsigned seed = 15;
    for (const extents& e : {extents{60, 150, 1500}, extents{50, 130, 5000}, extents{5, 900, 4500},
                             extents{100, 60, 8200}}) {
        check_log_sum<float>(e[0], e[1], e[2], seed);
        check_log_sum<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("cross entropy and its gradients, at width 512 too") {
    unsigned seed = 21;
    for (const extents& e : {extents{70, 300, 24}, extents{50, 700, 512}}) {
        check_cross_entropy<float>(e[0], e[1], e[2], seed);
        check_cross_entropy<double>(e[0], e[1], e[2], seed++);
    }
}
