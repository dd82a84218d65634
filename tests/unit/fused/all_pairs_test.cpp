// Programs over all pairs against plain loops in long double: forces of bodies, log-sum-exp of a
// product, cross entropy with both gradients. Nothing of the size of all pairs is stored, and
// results have the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

namespace {

using numbers = std::vector<long double>;
using extents = std::vector<std::size_t>;

/// Rows of a matrix, or the elements of a vector.
struct matrix {
    std::size_t rows = 0, columns = 1;
    numbers values;
    long double operator()(std::size_t i, std::size_t k = 0) const {
        return values[i * columns + k];
    }
    long double& operator()(std::size_t i, std::size_t k = 0) { return values[i * columns + k]; }
};

template <class T>
ricci::array array_of(const matrix& m, std::size_t rank = 2) {
    extents shape{m.rows};
    if (rank == 2) shape.push_back(m.columns);
    ricci::array a(ricci::element_v<T>, std::span<const std::size_t>(shape));
    T* const data = static_cast<T*>(a.data());
    for (std::size_t k = 0; k < m.values.size(); ++k) data[k] = static_cast<T>(m.values[k]);
    return a;
}

/// Numbers that T holds exactly, around 0.
template <class T>
matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed, long double scale = 1) {
    matrix m{rows, columns, {}};
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (std::size_t k = 0; k < rows * columns; ++k)
        m.values.push_back(static_cast<T>(scale * number(generator)));
    return m;
}

template <class T>
void check_close(const ricci::array& got, const matrix& expected) {
    REQUIRE(got.size() == expected.values.size());
    const T* const data = static_cast<const T*>(got.data());
    long double largest = 1e-30L, worst = 0;
    for (const long double x : expected.values) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < got.size(); ++k)
        worst = std::max(worst, std::abs(data[k] - expected.values[k]));
    CHECK(static_cast<double>(worst / largest) <= (sizeof(T) == 4 ? 2e-5 : 2e-14));
}

/// Runs on several numbers of threads, which must not matter; no intermediate has as many elements
/// as there are pairs.
template <class T>
ricci::arrays run_everywhere(const ricci::program& p, const std::vector<ricci::named>& operands,
                             std::size_t pairs) {
    const auto workspace = ricci::memory_of(p, operands).workspace;
    INFO(ricci::explain(p, operands));
    CHECK(workspace < pairs * sizeof(T));
    ricci::runtime::set_worker_count(1);
    auto first = ricci::run(p, operands);
    for (const int threads : {2, 3, 7}) {
        ricci::runtime::set_worker_count(threads);
        const auto again = ricci::run(p, operands);
        for (const auto& [name, value] : first) {
            INFO(name << " on " << threads << " threads");
            CHECK(std::memcmp(value.data(), again[name].data(), value.size() * sizeof(T)) == 0);
        }
    }
    ricci::runtime::set_worker_count(0);
    return first;
}

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

long double dot(const matrix& a, std::size_t i, const matrix& b, std::size_t j) {
    long double sum = 0;
    for (std::size_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(j, k);
    return sum;
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

TEST_CASE("cross entropy and its gradients, at width 512 too") {
    unsigned seed = 21;
    for (const extents& e : {extents{70, 300, 24}, extents{50, 700, 512}}) {
        check_cross_entropy<float>(e[0], e[1], e[2], seed);
        check_cross_entropy<double>(e[0], e[1], e[2], seed++);
    }
}
