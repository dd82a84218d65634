// Products of a Hessian and a vector, of energies that are sums over pairs: the tangent of a
// gradient, against dual numbers of long double that run through a gradient written by hand. No
// step of them stores anything of the size of all pairs.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

/// A number and its derivative along one direction.
struct dual {
    long double value = 0, slope = 0;
    dual operator+(const dual& b) const { return {value + b.value, slope + b.slope}; }
    dual operator-(const dual& b) const { return {value - b.value, slope - b.slope}; }
    dual operator*(const dual& b) const {
        return {value * b.value, slope * b.value + value * b.slope};
    }
};
dual power(const dual& a, long double n) {
    return {std::pow(a.value, n), n * std::pow(a.value, n - 1) * a.slope};
}
dual exponential(const dual& a) { return {std::exp(a.value), std::exp(a.value) * a.slope}; }
dual times(long double number, const dual& a) { return {number * a.value, number * a.slope}; }

/// E is the sum of f(|x_i - x_j|^2) over all i and j, or all but i = j.
struct energy {
    const char* name;
    const char* text;
    dual (*slope)(const dual& square);  // f'
};

const energy energies[] = {
    {"Gaussians", R"(E = \sum_{ij} \exp(-\sum_a (x^{ia} - x^{ja})^2))",
     [](const dual& r) { return times(-1, exponential(times(-1, r))); }},
    {"Lennard-Jones", R"(
        r^{ij} = \sum_a (x^{ia} - x^{ja})^2 + [i = j]
        E = \sum_{ij} [i \ne j] (\frac{1}{(r^{ij})^6} - \frac{1}{(r^{ij})^3})
     )",
     [](const dual& r) { return times(3, power(r, -4)) - times(6, power(r, -7)); }},
    {"gravity", R"(E = -\sum_{ij} \frac{1}{\sqrt{\sum_a (x^{ia} - x^{ja})^2 + \frac{1}{64}}})",
     [](const dual& r) {
         return times(0.5L, power(r + dual{1 / 64.0L, 0}, -1.5L));
     }},
};

/// Points around those of a lattice, so that no two are near each other.
template <class T>
matrix lattice(std::size_t n) {
    auto x = random_matrix<T>(n, 3, 1, 0.1L);
    for (std::size_t i = 0; i < n; ++i) {
        x(i, 0) = static_cast<T>(x(i, 0) + static_cast<long double>(i % 6));
        x(i, 1) = static_cast<T>(x(i, 1) + static_cast<long double>(i / 6 % 6));
        x(i, 2) = static_cast<T>(x(i, 2) + static_cast<long double>(i / 36));
    }
    return x;
}

matrix product_with_hessian(const energy& e, const matrix& x, const matrix& v) {
    const std::size_t n = x.rows;
    matrix result{n, 3, numbers(3 * n)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j) continue;
            dual square, difference[3];
            for (std::size_t a = 0; a < 3; ++a) {
                difference[a] = dual{x(i, a), v(i, a)} - dual{x(j, a), v(j, a)};
                square = square + difference[a] * difference[a];
            }
            const dual slope = times(4, e.slope(square));
            for (std::size_t a = 0; a < 3; ++a) result(i, a) += (slope * difference[a]).slope;
        }
    return result;
}

template <class T>
void check(const energy& e, std::size_t n) {
    INFO(e.name << " of " << n << " points");
    const auto p = ricci::parse(e.text).value();
    const auto product = ricci::tangent(ricci::gradient(p, "E", {"x"}), {"x"});
    const auto x = lattice<T>(n), v = random_matrix<T>(n, 3, 2);
    const auto got = run_everywhere<T>(
        product, {{"x", array_of<T>(x)}, {"d/dt x", array_of<T>(v)}, {"dL/dE", 1.0}}, n * n);
    check_close<T>(got["d/dt dL/dx"], product_with_hessian(e, x, v));
}

}  // namespace

TEST_CASE("products of the Hessians of energies and vectors store no pairs") {
    for (const energy& e : energies)
        for (const std::size_t n : {150u, 216u}) {
            check<float>(e, n);
            check<double>(e, n);
        }
}
