// Sums over pairs with few inner axes, as Biot and Savart's law has them: these stay in registers,
// differences are not multiplied out, and nothing of the size of all pairs is stored, forwards or
// backwards. Compared with plain loops in long double.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

using vector = std::array<long double, 3>;

vector cross(const vector& a, const vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
long double dot(const vector& a, const vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
vector row(const matrix& m, std::size_t i) { return {m(i, 0), m(i, 1), m(i, 2)}; }
void add(matrix& m, std::size_t i, long double number, const vector& v) {
    for (std::size_t a = 0; a < 3; ++a) m(i, a) += number * v[a];
}

template <class T>
ricci::array levi_civita() {
    const std::array<std::size_t, 3> shape{3, 3, 3};
    ricci::array e(ricci::element_v<T>, std::span<const std::size_t>(shape));
    T* const data = static_cast<T*>(e.data());
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        data[9 * a + 3 * b + c] = 1;
        data[9 * a + 3 * c + b] = -1;
    }
    return e;
}

constexpr long double softening = 1.0L / 64;

/// What vortices `v` at the points `x` give there, and its slopes with `g`.
struct induced {
    matrix velocity, by_x, by_v;
};
induced induce(const matrix& x, const matrix& v, const matrix& g) {
    const std::size_t n = x.rows;
    const matrix nothing{n, 3, numbers(3 * n)};
    induced all{nothing, nothing, nothing};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const vector from = row(x, i), to = row(x, j), vj = row(v, j), gi = row(g, i);
            const vector r{from[0] - to[0], from[1] - to[1], from[2] - to[2]};
            const long double square = dot(r, r) + softening, w = 1 / (square * std::sqrt(square));
            add(all.velocity, i, w, cross(vj, r));
            const vector normal = cross(gi, vj);
            for (const long double sign : {1.0L, -1.0L}) {
                const std::size_t k = sign > 0 ? i : j;
                add(all.by_x, k, sign * w, normal);
                add(all.by_x, k, -3 * sign * w / square * dot(r, normal), r);
            }
            add(all.by_v, j, w, cross(r, gi));
        }
    return all;
}

template <class T>
void check_induced(const std::string& text, std::size_t n, unsigned seed, bool slopes) {
    INFO(text << "\n" << n << " points");
    auto p = ricci::parse(text).value();
    if (slopes) p = ricci::value_and_gradient(p, "B", {"x", "v"});
    const auto x = random_matrix<T>(n, 3, seed), v = random_matrix<T>(n, 3, seed + 1),
               g = random_matrix<T>(n, 3, seed + 2);
    std::vector<ricci::named> operands = {{"x", array_of<T>(x)},
                                          {"v", array_of<T>(v)},
                                          {"\\epsilon", levi_civita<T>()},
                                          {"e", static_cast<double>(softening)}};
    if (slopes) operands.push_back({"dL/dB", array_of<T>(g)});
    const auto got = run_everywhere<T>(p, operands, n * n);
    const auto expected = induce(x, v, g);
    check_close<T>(got["B"], expected.velocity);
    if (!slopes) return;
    check_close<T>(got["dL/dx"], expected.by_x);
    check_close<T>(got["dL/dv"], expected.by_v);
}

// How fast points come closer, which two axes and a mass have beside the difference.
template <class T>
void check_approach(std::size_t rows, std::size_t columns, unsigned seed) {
    INFO(rows << " x " << columns);
    const auto p = ricci::parse(R"(
        d^i = \sum_j m^j (\sum_a v^{ja} (x^{ia} - z^{ja})) \exp(-\sum_a (x^{ia} - z^{ja})^2)
    )")
                       .value();
    const auto x = random_matrix<T>(rows, 4, seed), z = random_matrix<T>(columns, 4, seed + 1),
               v = random_matrix<T>(columns, 4, seed + 2),
               m = random_matrix<T>(columns, 1, seed + 3);
    const auto got = run_everywhere<T>(p,
                                       {{"x", array_of<T>(x)},
                                        {"z", array_of<T>(z)},
                                        {"v", array_of<T>(v)},
                                        {"m", array_of<T>(m, 1)}},
                                       rows * columns);
    matrix expected{rows, 1, numbers(rows)};
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            long double square = 0, along = 0;
            for (std::size_t a = 0; a < 4; ++a) {
                square += (x(i, a) - z(j, a)) * (x(i, a) - z(j, a));
                along += v(j, a) * (x(i, a) - z(j, a));
            }
            expected(i) += m(j) * along * std::exp(-square);
        }
    check_close<T>(got["d"], expected);
}

}  // namespace

TEST_CASE("Biot and Savart's law and its slopes, however it is written") {
    const std::string distance = "r^{ij} = \\sqrt{\\sum_d (x^{id} - x^{jd})^2 + e}\n";
    unsigned seed = 1;
    for (const std::string& text :
         {distance +
              R"(B^{ia} = \sum_j \frac{\epsilon^{abc} v^{jb} (x^{ic} - x^{jc})}{(r^{ij})^3})",
          distance + R"(B^{ia} = \sum_j \epsilon^{abc} v^{jb} (x^{ic} - x^{jc}) (r^{ij})^{-3})"})
        for (const std::size_t n : {130u, 300u}) {
            check_induced<float>(text, n, seed, true);
            check_induced<double>(text, n, seed++, true);
        }
    const std::string in_parts = distance + R"(C^{ija} = \epsilon^{abc} v^{jb} (x^{ic} - x^{jc})
                                               B^{ia} = \sum_j \frac{C^{ija}}{(r^{ij})^3})";
    check_induced<float>(in_parts, 257, seed, false);
    check_induced<double>(in_parts, 257, seed, false);
}

TEST_CASE("what few axes of pairs are multiplied by is not multiplied out") {
    unsigned seed = 31;
    for (const extents& e : {extents{130, 257}, extents{300, 90}}) {
        check_approach<float>(e[0], e[1], seed);
        check_approach<double>(e[0], e[1], seed++);
    }
}
