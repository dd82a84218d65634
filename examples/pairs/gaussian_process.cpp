// A Gaussian process whose kernel matrix is never stored: its mean by conjugate gradients, each
// step of which is one program, held against a Cholesky factorisation of the stored matrix.
#include "examples/shapes/plain.hpp"

using namespace ricci::literals;

namespace {

// One step of conjugate gradients for (K + s) u = y: the direction p, what is left of y, d, and
// its square, r. M. Hestenes and E. Stiefel (1952).
constexpr auto conjugate_step = R"(
    q^i = \sum_j \exp(-\frac{1}{2 l^2} \sum_a (x^{ia} - x^{ja})^2) p^j + s p^i
    \alpha = \frac{r}{\sum_i p^i q^i}
    U^i = u^i + \alpha p^i
    D^i = d^i - \alpha q^i
    R = \sum_i D^i D^i
    P^i = D^i + \frac{R}{r} p^i
    D^i
    R
)"_eq;
constexpr auto predict = R"(
    m^k = \sum_i \exp(-\frac{1}{2 l^2} \sum_a (t^{ka} - x^{ia})^2) u^i
)"_eq;

constexpr std::size_t known = 700, asked = 150;
constexpr float width = 0.4f, noise = 0.01f;

double kernel(const ricci::tensor<float, 2>& x, std::size_t i, const ricci::tensor<float, 2>& z,
              std::size_t j) {
    double d = 0;
    for (std::size_t a = 0; a < x.extent(1); ++a) {
        const double one = static_cast<double>(x(i, a)) - static_cast<double>(z(j, a));
        d += one * one;
    }
    return std::exp(-d / (2 * static_cast<double>(width) * static_cast<double>(width)));
}

/// (K + noise)^-1 y by Cholesky's factors, in double.
std::vector<double> solved(const ricci::tensor<float, 2>& x, const ricci::tensor<float, 1>& y) {
    std::vector<std::vector<double>> l(known, std::vector<double>(known));
    std::vector<double> u(known);
    for (std::size_t i = 0; i < known; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = kernel(x, i, x, j) + (i == j ? static_cast<double>(noise) : 0);
            for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
        }
        u[i] = static_cast<double>(y(i));
        for (std::size_t k = 0; k < i; ++k) u[i] -= l[i][k] * u[k];
        u[i] /= l[i][i];
    }
    for (std::size_t i = known; i-- > 0;) {
        for (std::size_t k = i + 1; k < known; ++k) u[i] -= l[k][i] * u[k];
        u[i] /= l[i][i];
    }
    return u;
}

}  // namespace

int main() {
    plain::report report;
    const auto x = plain::random<2>({known, 2}, 1), t = plain::random<2>({asked, 2}, 2),
               rough = plain::random<2>({known, 1}, 3);
    ricci::tensor<float, 1> y({known});
    for (std::size_t i = 0; i < known; ++i)
        y(i) = std::sin(3 * x(i, 0)) * std::cos(2 * x(i, 1)) + 0.1f * rough(i, 0);

    ricci::tensor<float, 1> u({known}), p({known}), d({known});
    ricci::tensor<float, 0> r;
    for (std::size_t i = 0; i < known; ++i) {
        p(i) = d(i) = y(i);
        r() += y(i) * y(i);
    }
    const float least = 1e-10f * r();
    auto step =
        ricci::prepare(conjugate_step, "x"_t = x, "p"_t = p, "u"_t = u, "d"_t = d, "r"_t = r,
                       "l"_t = width, "s"_t = noise, "U"_t = u, "P"_t = p, "D"_t = d, "R"_t = r);
    int steps = 0;
    while (r() > least && steps < 500) step(), ++steps;

    auto mean = ricci::prepare(predict, "x"_t = x, "t"_t = t, "u"_t = u, "l"_t = width);
    mean();
    const auto exact = solved(x, y);
    ricci::tensor<double, 1> want({asked});
    for (std::size_t k = 0; k < asked; ++k)
        for (std::size_t i = 0; i < known; ++i) want(k) += kernel(t, k, x, i) * exact[i];
    report.compare("mean of a Gaussian process", mean["m"_t], want, step.explain() + mean.explain(),
                   true, 1e-3);
    fmt::print("{} steps of conjugate gradients\n", steps);
    return report.exit_status() == 0 && steps < 500 ? 0 : 1;
}
