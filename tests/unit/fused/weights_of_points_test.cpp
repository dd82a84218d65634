// Weighted distances whose weights are those of one side, w^{ka} (x^{na} - z^{ka})^2: kernel sums, and
// a step of expectation and maximisation for normal distributions, against plain loops in long
// double. No plane is stored, and results have the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "src/kernels/fused/fused.hpp"
#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci::testing::pairs;
namespace kernels = ricci::kernels;

matrix zeros(std::size_t rows, std::size_t columns = 1) {
    return {rows, columns, numbers(rows * columns)};
}

template <class T>
matrix positive(std::size_t rows, std::size_t columns, unsigned seed) {
    auto m = random_matrix<T>(rows, columns, seed, 0.5L);
    for (auto& x : m.values) x = static_cast<T>(x + 1);
    return m;
}

struct mixture_sizes {
    std::size_t points, parts, width;
};

/// `distance`: of n, k and a; with weights w it is what `weight_of` makes of these.
template <class T, class Weight>
void check_mixture(const std::string& distance, const mixture_sizes& s, Weight weight_of) {
    INFO(distance << "  " << s.points << " x " << s.parts << ", " << s.width);
    const auto x = random_matrix<T>(s.points, s.width, 1),
               m = random_matrix<T>(s.parts, s.width, 2), w = positive<T>(s.parts, s.width, 3);
    auto sum = zeros(s.parts), mean = zeros(s.parts, s.width), square = mean, total = zeros(1);
    for (std::size_t n = 0; n < s.points; ++n) {
        numbers score(s.parts);
        for (std::size_t k = 0; k < s.parts; ++k)
            for (std::size_t a = 0; a < s.width; ++a)
                score[k] -= weight_of(w(k, a)) * (x(n, a) - m(k, a)) * (x(n, a) - m(k, a)) / 2;
        const long double most = *std::max_element(score.begin(), score.end());
        long double all = 0;
        for (const long double t : score) all += std::exp(t - most);
        total(0) += (most + std::log(all)) / static_cast<long double>(s.points);
        for (std::size_t k = 0; k < s.parts; ++k) {
            const long double r = std::exp(score[k] - most) / all;
            sum(k) += r;
            for (std::size_t a = 0; a < s.width; ++a) {
                mean(k, a) += r * x(n, a);
                square(k, a) += r * x(n, a) * x(n, a);
            }
        }
    }
    const auto p = ricci::parse("d^{nk} = " + distance + R"(
        S^{nk} = -\frac{1}{2} d^{nk}
        L = \operatorname{mean}_n \operatorname{logsumexp}_k(S^{nk})
        r^{nk} = \operatorname{softmax}_k(S^{nk})
        N^k = \sum_n r^{nk}
        M^{ka} = r^{nk} x^{na}
        V^{ka} = r^{nk} (x^{na})^2)")
                       .value();
    const auto got =
        run_everywhere<T>(p, {{"x", array_of<T>(x)}, {"m", array_of<T>(m)}, {"w", array_of<T>(w)}},
                          s.points * s.parts);
    check_close<T>(got["L"], total);
    check_close<T>(got["N"], sum);
    check_close<T>(got["M"], mean);
    check_close<T>(got["V"], square);
}

/// The same with weights of rows, and of a batch.
template <class T>
void check_kernels(const mixture_sizes& s) {
    const auto x = random_matrix<T>(s.points, s.width, 4),
               z = random_matrix<T>(s.parts, s.width, 5), w = positive<T>(s.points, s.width, 6),
               v = random_matrix<T>(s.parts, 1, 7);
    auto f = zeros(s.points);
    const long double c = 1 / static_cast<long double>(4 * s.width);
    for (std::size_t i = 0; i < s.points; ++i)
        for (std::size_t j = 0; j < s.parts; ++j) {
            long double d = 0;
            for (std::size_t a = 0; a < s.width; ++a)
                d += w(i, a) * (x(i, a) - z(j, a)) * (x(i, a) - z(j, a));
            f(i) += std::exp(-c * d) * v(j);
        }
    const auto p = ricci::parse(R"(d^{ij} = \sum_a w^{ia} (x^{ia} - z^{ja})^2
                                   f^i = \sum_j \exp(-c d^{ij}) v^j)")
                       .value();
    const auto got = run_everywhere<T>(p,
                                       {{"x", array_of<T>(x)},
                                        {"z", array_of<T>(z)},
                                        {"w", array_of<T>(w)},
                                        {"v", array_of<T>(v, 1)},
                                        {"c", static_cast<double>(c)}},
                                       s.points * s.parts);
    check_close<T>(got["f"], f);
}

template <class T>
void check_all() {
    const auto itself = [](long double w) { return w; };
    const auto scale = [](long double w) { return 1 / (w * w); };
    // A tile of columns, and several.
    for (const mixture_sizes& s :
         {mixture_sizes{400, 30, 3}, mixture_sizes{900, 50, 16}, mixture_sizes{500, 300, 20}}) {
        check_mixture<T>(R"(\sum_a w^{ka} (x^{na} - m^{ka})^2)", s, itself);
        check_mixture<T>(R"(\sum_a \frac{(x^{na} - m^{ka})^2}{(w^{ka})^2})", s, scale);
        check_mixture<T>(R"(\sum_a \left(\frac{x^{na} - m^{ka}}{w^{ka}}\right)^2)", s, scale);
        check_kernels<T>(s);
    }
    // More terms than are packed at once.
    check_kernels<T>({140, 130, 9000});
}

template <class T>
void check_kernel_tables() {
    const auto& table = kernels::fused_kernels<T>();
    for (int vectors = 1; vectors <= table.vectors; ++vectors)
        for (const std::int64_t rows : {1, 7, 19})
            for (const std::int64_t depth : {1, 2, 9}) {
                const std::int64_t lanes = vectors * table.lanes;
                const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
                const auto of = [&](std::int64_t n, unsigned seed) {
                    const auto m = random_matrix<T>(size(n), 1, seed);
                    return std::vector<T>(m.values.begin(), m.values.end());
                };
                const auto a = of(rows * (depth + 1), 1), b = of(depth * lanes, 2),
                           w = of(std::max(rows * (depth + 2), depth * lanes), 3);
                for (const bool of_lanes : {false, true}) {
                    std::vector<T> c(size(rows * lanes));
                    kernels::lane_product<T> p;
                    p.rows = rows, p.depth = depth;
                    p.a = a.data(), p.a_row = depth + 1, p.a_step = 1;
                    p.b = b.data(), p.b_step = lanes;
                    p.c = c.data(), p.c_row = lanes;
                    p.weights = w.data();
                    p.weight_row = of_lanes ? 0 : depth + 2;
                    p.weight_step = of_lanes ? lanes : 1;
                    (of_lanes ? table.lane_weighted_distance
                              : table.row_weighted_distance)[vectors - 1](p);
                    for (std::int64_t r = 0; r < rows; ++r)
                        for (std::int64_t x = 0; x < lanes; ++x) {
                            long double sum = 0, most = 0;
                            for (std::int64_t k = 0; k < depth; ++k) {
                                const long double d =
                                    static_cast<long double>(a[size(r * (depth + 1) + k)]) -
                                    b[size(k * lanes + x)];
                                const long double weight =
                                    w[size(of_lanes ? k * lanes + x : r * (depth + 2) + k)];
                                sum += weight * d * d;
                                most += std::abs(weight * d * d);
                            }
                            const long double error = c[size(r * lanes + x)] - sum;
                            CHECK(static_cast<double>(std::abs(error)) <=
                                  static_cast<double>(most) * (sizeof(T) == 4 ? 1e-6 : 1e-15));
                        }
                }
            }
}

}  // namespace

TEST_CASE("weights of points in distances") {
    check_all<float>();
    check_all<double>();
}

TEST_CASE("kernels of distances with weights of rows and lanes") {
    ricci::test::every_target().run([] {
        check_kernel_tables<float>();
        check_kernel_tables<double>();
    });
}
