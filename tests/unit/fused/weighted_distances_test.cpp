// Kernels of weighted distances, wide and narrow, with their gradients by the points, the weights
// and the scales, against plain loops in long double. Nothing of the size of all pairs is stored,
// and results have the same bits on any number of threads. Beside them the same with distances that
// are exact.
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

matrix zeros(std::size_t rows, std::size_t columns = 1) {
    return {rows, columns, numbers(rows * columns)};
}

template <class T>
matrix positive(std::size_t rows, unsigned seed) {
    auto m = random_matrix<T>(rows, 1, seed, 0.5L);
    for (auto& x : m.values) x = static_cast<T>(x + 1.5L);
    return m;
}

struct kernel_sizes {
    std::size_t rows, columns, width;
};

/// f^i = sum_j exp(-c d^{ij}) v^j, where weights are those of d by themselves: what the kernel sum
/// and its gradients are.
struct kernel_sums {
    matrix f, by_x, by_z, by_v, by_weight;
};

kernel_sums plain_loops(const matrix& x, const matrix& z, const matrix& v, const matrix& g,
                        const matrix& weight, long double c) {
    kernel_sums s{zeros(x.rows), zeros(x.rows, x.columns), zeros(z.rows, z.columns), zeros(z.rows),
                  zeros(x.columns)};
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < z.rows; ++j) {
            long double d = 0;
            for (std::size_t a = 0; a < x.columns; ++a)
                d += weight(a) * (x(i, a) - z(j, a)) * (x(i, a) - z(j, a));
            const long double k = std::exp(-c * d), slope = -c * k * g(i) * v(j);
            s.f(i) += k * v(j);
            s.by_v(j) += k * g(i);
            for (std::size_t a = 0; a < x.columns; ++a) {
                const long double difference = x(i, a) - z(j, a);
                s.by_x(i, a) += 2 * slope * weight(a) * difference;
                s.by_z(j, a) -= 2 * slope * weight(a) * difference;
                s.by_weight(a) += slope * difference * difference;
            }
        }
    return s;
}

/// `weight_of(l)`: the weight, and its slope. `stores`: gradients store pairs.
template <class T, class Weight>
void check_kernel(const std::string& distance, const kernel_sizes& size, unsigned seed, bool stores,
                  Weight weight_of) {
    INFO(distance << "  " << size.rows << " x " << size.columns << ", " << size.width);
    const long double c = 1 / static_cast<long double>(4 * size.width);
    const auto x = random_matrix<T>(size.rows, size.width, seed),
               z = random_matrix<T>(size.columns, size.width, seed + 1);
    const auto v = random_matrix<T>(size.columns, 1, seed + 2),
               g = random_matrix<T>(size.rows, 1, seed + 3), l = positive<T>(size.width, seed + 4);
    auto weight = l, slope = l;
    for (std::size_t a = 0; a < size.width; ++a) {
        weight(a) = weight_of(l(a)).first;
        slope(a) = weight_of(l(a)).second;
    }
    auto expected = plain_loops(x, z, v, g, weight, c);
    for (std::size_t a = 0; a < size.width; ++a) expected.by_weight(a) *= slope(a);
    const auto kernel = ricci::parse("d^{ij} = \\sum_a " + distance +
                                     "\n K^{ij} = \\exp(-c d^{ij}) \n f^i = K^{ij} v^j")
                            .value();
    const auto p = ricci::value_and_gradient(kernel, "f", {"x", "z", "v", "l"});
    const std::vector<ricci::named> operands = {
        {"x", array_of<T>(x)},    {"z", array_of<T>(z)},         {"v", array_of<T>(v, 1)},
        {"l", array_of<T>(l, 1)}, {"c", static_cast<double>(c)}, {"dL/df", array_of<T>(g, 1)}};
    const auto check = [&](const ricci::arrays& got) {
        check_close<T>(got["f"], expected.f);
        check_close<T>(got["dL/dx"], expected.by_x);
        check_close<T>(got["dL/dz"], expected.by_z);
        check_close<T>(got["dL/dv"], expected.by_v);
        check_close<T>(got["dL/dl"], expected.by_weight);
    };
    const std::vector<ricci::named> points(operands.begin(), operands.end() - 1);
    const std::size_t pairs = size.rows * size.columns;
    check_close<T>(run_everywhere<T>(kernel, points, pairs)["f"], expected.f);
    if (!stores) check(run_everywhere<T>(p, operands, pairs));
    for (const bool exact : {false, true})
        check(ricci::run(p, operands, {.exact_distances = exact}));
}

template <class T>
void check_all() {
    const auto itself = [](long double w) { return std::pair(w, 1.0L); };
    const auto scale = [](long double l) { return std::pair(1 / (l * l), -2 / (l * l * l)); };
    for (const kernel_sizes& s : ricci::testing::few_or<std::vector<kernel_sizes>>(
             {{150, 170, 3}, {420, 460, 64}}, {{150, 170, 3}, {220, 290, 20}, {700, 650, 64}})) {
        check_kernel<T>("l^a (x^{ia} - z^{ja})^2", s, 1, false, itself);
        check_kernel<T>("\\frac{(x^{ia} - z^{ja})^2}{l_a^2}", s, 2, false, scale);
        check_kernel<T>("\\left(\\frac{x^{ia} - z^{ja}}{l_a}\\right)^2", s, 3, true, scale);
    }
}

}  // namespace

TEST_CASE("kernels of weighted distances and their gradients") {
    check_all<float>();
    check_all<double>();
}
