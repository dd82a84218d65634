// Folds of all pairs that are no sums, and sums of distances of wide rows, with their gradients,
// against plain loops in long double: maxima, minima and products of rows, of columns and of all,
// ties, Chamfer's distance, late interaction, discrepancies of means. Nothing of the size of all
// pairs is stored, and results have the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

constexpr long double infinity = std::numeric_limits<long double>::infinity();

matrix zeros(std::size_t rows, std::size_t columns = 1) {
    return {rows, columns, numbers(rows * columns)};
}

long double distance(const matrix& a, std::size_t i, const matrix& b, std::size_t j) {
    long double sum = 0;
    for (std::size_t k = 0; k < a.columns; ++k) sum += (a(i, k) - b(j, k)) * (a(i, k) - b(j, k));
    return sum;
}

/// Rows of a matrix twice over, so that each value of its pairs stands there twice.
matrix doubled(const matrix& m) {
    matrix result = m;
    result.rows *= 2;
    result.values.insert(result.values.end(), m.values.begin(), m.values.end());
    return result;
}

template <class T>
void check_folds_of_products(std::size_t rows, std::size_t columns, std::size_t width,
                             unsigned seed) {
    INFO(rows << " x " << columns << ", " << width);
    const auto p = ricci::parse(R"(
        S^{ij} = Q^{ia} K^{ja}
        m^i = \max_j(S^{ij})
        n^j = \min_i(S^{ij})
        s^i = \sum_j S^{ij}
        M = \max_{ij}(S^{ij})
        p^j = \prod_i (1 + \frac{1}{64} \tanh(S^{ij}))
        q^i = \prod_j (1 + \frac{1}{64} \tanh(S^{ij}))
        b^i = \max_{j \le i} (S^{ij})
    )")
                       .value();
    const auto q = random_matrix<T>(rows, width, seed),
               k = random_matrix<T>(columns, width, seed + 1);
    const auto got =
        run_everywhere<T>(p, {{"Q", array_of<T>(q)}, {"K", array_of<T>(k)}}, rows * columns);
    auto m = zeros(rows), n = zeros(columns), s = zeros(rows), all = zeros(1),
         by_column = zeros(columns), by_row = zeros(rows), below = zeros(rows);
    for (auto* x : {&m, &below, &all}) std::fill(x->values.begin(), x->values.end(), -infinity);
    std::fill(n.values.begin(), n.values.end(), infinity);
    for (auto* x : {&by_row, &by_column}) std::fill(x->values.begin(), x->values.end(), 1);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const long double x = dot(q, i, k, j), y = 1 + std::tanh(x) / 64;
            m(i) = std::max(m(i), x);
            n(j) = std::min(n(j), x);
            s(i) += x;
            all(0) = std::max(all(0), x);
            by_column(j) *= y;
            by_row(i) *= y;
            if (j <= i) below(i) = std::max(below(i), x);
        }
    check_close<T>(got["m"], m);
    check_close<T>(got["n"], n);
    check_close<T>(got["s"], s);
    check_close<T>(got["M"], all);
    check_close<T>(got["p"], by_column);
    check_close<T>(got["q"], by_row);
    check_close<T>(got["b"], below);
}

/// The least distance of each row, and its gradients, where each is there twice.
template <class T>
void check_nearest(std::size_t rows, std::size_t columns, std::size_t width, unsigned seed) {
    INFO(rows << " x " << 2 * columns << ", " << width);
    const auto nearest = ricci::parse(R"(n^i = \min_j \sum_a (x^{ia} - z^{ja})^2)").value();
    const auto p = ricci::value_and_gradient(nearest, "n", {"x", "z"});
    const auto x = random_matrix<T>(rows, width, seed),
               z = doubled(random_matrix<T>(columns, width, seed + 1)),
               g = random_matrix<T>(rows, 1, seed + 2);
    const auto got = run_everywhere<T>(
        p, {{"x", array_of<T>(x)}, {"z", array_of<T>(z)}, {"dL/dn", array_of<T>(g, 1)}},
        rows * columns);
    auto n = zeros(rows), by_x = zeros(rows, width), by_z = zeros(2 * columns, width);
    for (std::size_t i = 0; i < rows; ++i) {
        n(i) = infinity;
        for (std::size_t j = 0; j < columns; ++j) n(i) = std::min(n(i), distance(x, i, z, j));
        for (std::size_t j = 0; j < 2 * columns; ++j) {
            if (distance(x, i, z, j) != n(i)) continue;
            for (std::size_t a = 0; a < width; ++a) {
                const long double slope = g(i) * (x(i, a) - z(j, a));
                by_x(i, a) += slope;
                by_z(j, a) -= slope;
            }
        }
    }
    check_close<T>(got["n"], n);
    check_close<T>(got["dL/dx"], by_x);
    check_close<T>(got["dL/dz"], by_z);
}

/// Chamfer's distance: least distances of rows and of columns at once.
template <class T>
void check_chamfer(std::size_t rows, std::size_t columns, std::size_t width, unsigned seed) {
    INFO(rows << " x " << columns << ", " << width);
    const auto chamfer = ricci::parse(R"(
        d^{ij} = \sum_a (x^{ia} - z^{ja})^2
        c = \operatorname{mean}_i(\min_j(d^{ij})) + \operatorname{mean}_j(\min_i(d^{ij}))
    )")
                             .value();
    const auto p = ricci::value_and_gradient(chamfer, "c", {"x", "z"});
    const auto x = random_matrix<T>(rows, width, seed),
               z = random_matrix<T>(columns, width, seed + 1);
    const auto got = run_everywhere<T>(
        p, {{"x", array_of<T>(x)}, {"z", array_of<T>(z)}, {"dL/dc", 1.0}}, rows * columns);
    auto c = zeros(1), by_x = zeros(rows, width), by_z = zeros(columns, width);
    const auto add = [&](std::size_t i, std::size_t j, long double share) {
        c(0) += share * distance(x, i, z, j);
        for (std::size_t a = 0; a < width; ++a) {
            const long double slope = 2 * share * (x(i, a) - z(j, a));
            by_x(i, a) += slope;
            by_z(j, a) -= slope;
        }
    };
    for (std::size_t i = 0; i < rows; ++i) {
        std::size_t least = 0;
        for (std::size_t j = 0; j < columns; ++j)
            if (distance(x, i, z, j) < distance(x, i, z, least)) least = j;
        add(i, least, 1 / static_cast<long double>(rows));
    }
    for (std::size_t j = 0; j < columns; ++j) {
        std::size_t least = 0;
        for (std::size_t i = 0; i < rows; ++i)
            if (distance(x, i, z, j) < distance(x, least, z, j)) least = i;
        add(least, j, 1 / static_cast<long double>(columns));
    }
    check_close<T>(got["c"], c);
    check_close<T>(got["dL/dx"], by_x);
    check_close<T>(got["dL/dz"], by_z);
}

/// Late interaction: of each document the sum over the words of a query of its best match.
template <class T>
void check_late_interaction(std::size_t documents, std::size_t words, std::size_t length,
                            std::size_t width, unsigned seed) {
    INFO(documents << " x " << words << " x " << length << ", " << width);
    const auto scores = ricci::parse(R"(s^n = \sum_i \max_j (Q^{ia} D^{nja}))").value();
    const auto p = ricci::value_and_gradient(scores, "s", {"Q", "D"});
    const auto q = random_matrix<T>(words, width, seed),
               d = random_matrix<T>(documents * length, width, seed + 1),
               g = random_matrix<T>(documents, 1, seed + 2);
    ricci::array all(ricci::element_v<T>, std::vector<std::size_t>{documents, length, width});
    const auto flat = array_of<T>(d);
    std::copy_n(static_cast<const T*>(flat.data()), flat.size(), static_cast<T*>(all.data()));
    const auto got =
        run_everywhere<T>(p, {{"Q", array_of<T>(q)}, {"D", all}, {"dL/ds", array_of<T>(g, 1)}},
                          documents * words * length);
    auto s = zeros(documents), by_q = zeros(words, width), by_d = zeros(documents * length, width);
    for (std::size_t n = 0; n < documents; ++n)
        for (std::size_t i = 0; i < words; ++i) {
            std::size_t best = n * length;
            for (std::size_t j = n * length; j < (n + 1) * length; ++j)
                if (dot(q, i, d, j) > dot(q, i, d, best)) best = j;
            s(n) += dot(q, i, d, best);
            for (std::size_t a = 0; a < width; ++a) {
                by_q(i, a) += g(n) * d(best, a);
                by_d(best, a) += g(n) * q(i, a);
            }
        }
    check_close<T>(got["s"], s);
    check_close<T>(got["dL/dQ"], by_q);
    check_close<T>(got["dL/dD"], by_d);
}

/// The mean of a kernel over all pairs, and a sum of it with a factor.
template <class T>
void check_kernels(std::size_t rows, std::size_t columns, std::size_t width, unsigned seed) {
    INFO(rows << " x " << columns << ", " << width);
    const auto sums = ricci::parse(R"(
        K^{ij} = \exp(- \frac{1}{4} \sum_a (x^{ia} - z^{ja})^2)
        f^i = K^{ij} v^j
        L = f^i g^i + \operatorname{mean}_{ij}(K^{ij})
    )")
                          .value();
    const auto p = ricci::value_and_gradient(sums, "L", {"x", "z", "v"});
    const auto x = random_matrix<T>(rows, width, seed, 0.5L),
               z = random_matrix<T>(columns, width, seed + 1, 0.5L),
               v = random_matrix<T>(columns, 1, seed + 2), g = random_matrix<T>(rows, 1, seed + 3);
    const auto got = run_everywhere<T>(p,
                                       {{"x", array_of<T>(x)},
                                        {"z", array_of<T>(z)},
                                        {"v", array_of<T>(v, 1)},
                                        {"g", array_of<T>(g, 1)},
                                        {"dL/dL", 1.0}},
                                       rows * columns);
    auto value = zeros(1), by_x = zeros(rows, width), by_z = zeros(columns, width),
         by_v = zeros(columns);
    const long double share = 1 / static_cast<long double>(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const long double kernel = std::exp(-distance(x, i, z, j) / 4);
            const long double weight = kernel * (g(i) * v(j) + share);
            value(0) += weight;
            by_v(j) += kernel * g(i);
            for (std::size_t a = 0; a < width; ++a) {
                by_x(i, a) -= weight * (x(i, a) - z(j, a)) / 2;
                by_z(j, a) += weight * (x(i, a) - z(j, a)) / 2;
            }
        }
    check_close<T>(got["L"], value);
    check_close<T>(got["dL/dx"], by_x);
    check_close<T>(got["dL/dz"], by_z);
    check_close<T>(got["dL/dv"], by_v);
}

/// Neighbours that are embedded: the sum over all pairs is a number that the gradient needs, through
/// a step of its own.
template <class T>
void check_neighbours(std::size_t n, unsigned seed) {
    INFO(n << " points");
    const auto loss = ricci::parse(R"(
        w^{ij} = \frac{1}{1 + \sum_a (y^{ia} - y^{ja})^2}
        Z = \sum_{ij} [i \ne j] w^{ij}
        L = \log(Z) - \sum_{ij} p^{ij} \log(w^{ij})
    )")
                          .value();
    const auto program = ricci::value_and_gradient(loss, "L", {"y"});
    const auto y = random_matrix<T>(n, 2, seed);
    // Weights of one sign: of others the loss is little beside what it is the sum of.
    auto p = random_matrix<T>(n, n, seed + 1);
    for (long double& x : p.values) x = std::abs(x);
    const auto got = run_everywhere<T>(
        program, {{"y", array_of<T>(y)}, {"p", array_of<T>(p)}, {"dL/dL", 1.0}}, n * n);
    auto value = zeros(1), by_y = zeros(n, 2), weights = zeros(n, n);
    long double all = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            weights(i, j) = 1 / (1 + distance(y, i, y, j));
            if (i != j) all += weights(i, j);
            value(0) -= p(i, j) * std::log(weights(i, j));
        }
    value(0) += std::log(all);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const long double w = weights(i, j);
            const long double slope = ((i != j ? 1 / all : 0) - p(i, j) / w) * -2 * w * w;
            for (std::size_t a = 0; a < 2; ++a) {
                by_y(i, a) += slope * (y(i, a) - y(j, a));
                by_y(j, a) -= slope * (y(i, a) - y(j, a));
            }
        }
    check_close<T>(got["L"], value);
    check_close<T>(got["dL/dy"], by_y);
}

/// A loss of all pairs, and of those on the diagonal alone.
template <class T>
void check_diagonal(std::size_t n, std::size_t width, unsigned seed) {
    INFO(n << " pairs, " << width);
    const auto loss = ricci::parse(R"(
        S^{ij} = 2 X^{ia} Y^{ja}
        L = \operatorname{mean}_i(\sum_j \operatorname{softplus}(S^{ij})) - \operatorname{mean}_i(S^{ii})
    )")
                          .value();
    const auto p = ricci::value_and_gradient(loss, "L", {"X", "Y"});
    const auto x = random_matrix<T>(n, width, seed), y = random_matrix<T>(n, width, seed + 1);
    const auto got =
        run_everywhere<T>(p, {{"X", array_of<T>(x)}, {"Y", array_of<T>(y)}, {"dL/dL", 1.0}}, n * n);
    auto value = zeros(1), by_x = zeros(n, width), by_y = zeros(n, width);
    const long double share = 1 / static_cast<long double>(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const long double s = 2 * dot(x, i, y, j);
            value(0) += share * (std::log1p(std::exp(s)) - (i == j ? s : 0));
            const long double slope = 2 * share * (1 / (1 + std::exp(-s)) - (i == j ? 1 : 0));
            for (std::size_t a = 0; a < width; ++a) {
                by_x(i, a) += slope * y(j, a);
                by_y(j, a) += slope * x(i, a);
            }
        }
    check_close<T>(got["L"], value);
    check_close<T>(got["dL/dX"], by_x);
    check_close<T>(got["dL/dY"], by_y);
}

using sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("folds of a product that are no sums") {
    unsigned seed = 1;
    for (const sizes& e : {sizes{130, 200, 16}, sizes{257, 190, 3}, sizes{64, 1000, 40}}) {
        check_folds_of_products<float>(e[0], e[1], e[2], seed);
        check_folds_of_products<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("least distances share their gradient between ties") {
    unsigned seed = 11;
    for (const sizes& e : {sizes{130, 100, 3}, sizes{200, 150, 40}, sizes{50, 400, 64}}) {
        check_nearest<float>(e[0], e[1], e[2], seed);
        check_nearest<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("Chamfer's distance and its gradients") {
    unsigned seed = 21;
    for (const sizes& e : {sizes{150, 200, 3}, sizes{257, 190, 20}}) {
        check_chamfer<float>(e[0], e[1], e[2], seed);
        check_chamfer<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("late interaction and its gradients") {
    check_late_interaction<float>(7, 32, 180, 24, 31);
    check_late_interaction<double>(5, 20, 100, 16, 32);
}

TEST_CASE("kernels of wide rows, their means and their gradients") {
    unsigned seed = 41;
    for (const sizes& e : {sizes{130, 200, 64}, sizes{257, 190, 17}, sizes{150, 170, 3}}) {
        check_kernels<float>(e[0], e[1], e[2], seed);
        check_kernels<double>(e[0], e[1], e[2], seed++);
    }
}

TEST_CASE("a gradient that waits for the sum of all pairs") {
    check_neighbours<float>(180, 61);
    check_neighbours<double>(211, 62);
}

TEST_CASE("a loss of all pairs and of those on the diagonal") {
    check_diagonal<float>(190, 20, 71);
    check_diagonal<double>(150, 33, 72);
}

TEST_CASE("an extremum of what is no number is none, whatever the order") {
    const auto p = ricci::parse(R"(
        S^{ij} = Q^{ia} K^{ja}
        m^i = \max_j(S^{ij})
        n^j = \min_i(S^{ij})
    )")
                       .value();
    auto q = random_matrix<float>(200, 20, 51), k = random_matrix<float>(300, 20, 52);
    q(77, 5) = std::numeric_limits<long double>::quiet_NaN();
    k(123, 7) = std::numeric_limits<long double>::quiet_NaN();
    const auto got =
        run_everywhere<float>(p, {{"Q", array_of<float>(q)}, {"K", array_of<float>(k)}}, 200 * 300);
    for (const char* name : {"m", "n"}) {
        const auto* const values = static_cast<const float*>(got[name].data());
        for (std::size_t x = 0; x < got[name].size(); ++x) CHECK(std::isnan(values[x]));
    }
}
