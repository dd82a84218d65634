// max_j (A^{ij} + B^{jk}), the minimum and the log-sum-exp: products in other algebras. Against
// plain loops in long double: infinities, large numbers, ties, empty axes, float, several terms,
// chains; what is stored, and the same bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <ricci/prepared.hpp>

#include "tests/few.hpp"
#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> folds{"\\max", "\\min", "\\operatorname{logsumexp}"};

/// The fold of these values; NaN where one is NaN.
long double folded(const std::string& by, const std::vector<long double>& all) {
    for (const long double x : all)
        if (std::isnan(x)) return x;
    if (by == "\\max") return all.empty() ? -infinity : *std::max_element(all.begin(), all.end());
    if (by == "\\min") return all.empty() ? infinity : *std::min_element(all.begin(), all.end());
    const long double most = all.empty() ? -infinity : *std::max_element(all.begin(), all.end());
    if (std::isinf(most)) return most;
    long double sum = 0;
    for (const long double x : all) sum += std::exp(x - most);
    return most + std::log(sum);
}

/// The largest difference of what a program of C^{ik} gives from what the terms say, relative to
/// the larger of 1 and the size of the terms; infinities and NaN have to be the same.
double worst(const array& got, const std::string& by, std::size_t is, std::size_t js,
             std::size_t ks,
             const std::function<long double(std::size_t, std::size_t, std::size_t)>& term) {
    const array c = got.converted(element::f64);
    double most = 0;
    for (std::size_t i = 0; i < is; ++i)
        for (std::size_t k = 0; k < ks; ++k) {
            std::vector<long double> all;
            long double size = 1;
            for (std::size_t j = 0; j < js; ++j) {
                all.push_back(term(i, j, k));
                if (std::isfinite(all.back())) size = std::max(size, std::abs(all.back()));
            }
            const long double want = folded(by, all), have = entry(c, i * ks + k);
            if (std::isnan(want) != std::isnan(have)) return infinity;
            if (want == have || std::isnan(want)) continue;
            if (std::isinf(want) || std::isinf(have)) return infinity;
            most = std::max(most, static_cast<double>(std::abs(want - have) / size));
        }
    return most;
}

array scaled(std::vector<std::size_t> extents, unsigned seed, double by) {
    array a = drawn(std::move(extents), seed);
    for (std::size_t k = 0; k < a.size(); ++k) entry(a, k) *= by;
    return a;
}

bool says(const std::string& words, const std::string& part) {
    return words.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("folds of sums are what loops say, for any sizes and magnitudes", "[folds_of_sums]") {
    const std::size_t sizes[][3] = {{1, 1, 1},    {1, 40, 50},  {50, 40, 1},  {3, 1, 5}, {2, 3, 2},
                                    {33, 47, 29}, {17, 200, 4}, {64, 64, 64}, {5, 0, 7}, {0, 4, 3}};
    for (const auto& [is, js, ks] : sizes)
        for (const auto& by : folds)
            for (const double magnitude : few_or<std::vector<double>>({50.0}, {1.0, 50.0, 1e4}))
                for (const element type : {element::f64, element::f32}) {
                    INFO(by << " " << is << " " << js << " " << ks << " " << magnitude);
                    const program p = text("C^{ik} = " + by + "_j(A^{ij} + B^{jk})");
                    const array a = scaled({is, js}, 1, magnitude).converted(type),
                                b = scaled({js, ks}, 2, magnitude).converted(type);
                    const array c = run(p, {{"A", a}, {"B", b}})["C"];
                    const array x = a.converted(element::f64), y = b.converted(element::f64);
                    const double error =
                        worst(c, by, is, js, ks, [&](std::size_t i, std::size_t j, std::size_t k) {
                            return static_cast<long double>(entry(x, i * js + j)) +
                                   entry(y, j * ks + k);
                        });
                    CHECK(error <= (type == element::f64 ? 1e-14 : 4e-6));
                }
}

TEST_CASE("infinities and NaN are those of the terms", "[folds_of_sums]") {
    constexpr std::size_t n = 24;
    for (const auto& by : folds) {
        INFO(by);
        array a = drawn({n, n}, 3), b = drawn({n, n}, 4);
        for (std::size_t j = 0; j < n; ++j) {
            entry(a, 2 * n + j) = -infinity;  // rows and columns of nothing
            entry(b, j * n + 5) = -infinity;
            if (j % 2 == 0) entry(a, 3 * n + j) = -infinity;
            if (j % 2 == 1) entry(b, j * n + 7) = -infinity;
        }
        entry(a, 9 * n + 4) = infinity;
        entry(b, 6 * n + 11) = std::nan("");
        const program p = text("C^{ik} = " + by + "_j(A^{ij} + B^{jk})");
        const array c = run(p, {{"A", a}, {"B", b}})["C"];
        CHECK(worst(c, by, n, n, n, [&](std::size_t i, std::size_t j, std::size_t k) {
                  return static_cast<long double>(entry(a, i * n + j)) + entry(b, j * n + k);
              }) <= 1e-14);
    }
}

TEST_CASE("terms of all kinds are paired, and no tensor of all indices is stored",
          "[folds_of_sums]") {
    struct form {
        std::string terms;
        std::function<long double(std::size_t, std::size_t, std::size_t)> value;
    };
    constexpr std::size_t is = 30, js = 40, ks = 50;
    const array a = drawn({is, js}, 1), b = drawn({js, ks}, 2), c = drawn({ks}, 3),
                d = drawn({is}, 4), e = drawn({is, ks}, 5), v = drawn({js}, 6);
    const auto A = [&](std::size_t i, std::size_t j) -> long double {
        return entry(a, i * js + j);
    };
    const auto B = [&](std::size_t j, std::size_t k) -> long double {
        return entry(b, j * ks + k);
    };
    using number = std::size_t;
    const std::vector<form> forms{
        {"A^{ij} + B^{jk}", [&](number i, number j, number k) { return A(i, j) + B(j, k); }},
        {"A^{ij} - B^{jk}", [&](number i, number j, number k) { return A(i, j) - B(j, k); }},
        {"-(A^{ij} + 2 B^{jk})",
         [&](number i, number j, number k) { return -A(i, j) - 2 * B(j, k); }},
        {"3 + A^{ij} + B^{jk} + c^k + d^i + E^{ik} - v^j",
         [&](number i, number j, number k) {
             return 3 + A(i, j) + B(j, k) + entry(c, k) + entry(d, i) + entry(e, i * ks + k) -
                    entry(v, j);
         }},
        {"\\exp(A^{ij}) + A^{ij} v^j + B^{jk} c^k",
         [&](number i, number j, number k) {
             return std::exp(A(i, j)) + A(i, j) * entry(v, j) + B(j, k) * entry(c, k);
         }},
        {"d^i + v^j + c^k",
         [&](number i, number j, number k) {
             return static_cast<long double>(entry(d, i)) + entry(v, j) + entry(c, k);
         }},
    };
    for (const auto& by : folds)
        for (const form& f : forms) {
            const program p = text("C^{ik} = " + by + "_j(" + f.terms + ")");
            std::vector<named> operands;
            for (const tensor_info& t : p.inputs())
                operands.push_back({t.name, t.name == "A"   ? a
                                            : t.name == "B" ? b
                                            : t.name == "c" ? c
                                            : t.name == "d" ? d
                                            : t.name == "E" ? e
                                                            : v});
            const std::string words = explain(p, operands);
            INFO(by << "(" << f.terms << ")\n" << words);
            CHECK(worst(run(p, operands)["C"], by, is, js, ks, f.value) <= 1e-14);
            CHECK(says(words, "algebra,") == says(f.terms, "A"));
            CHECK(!says(words, "480 kB"));  // i x j x k
        }
}

TEST_CASE("a chain of sums is folded two operands at a time", "[folds_of_sums]") {
    constexpr std::size_t n = 12;
    const array a = drawn({n, n}, 1), b = drawn({n, n}, 2), c = drawn({n, n}, 3);
    for (const auto& by : folds) {
        const program p = text("D^{il} = " + by + "_{jk}(A^{ij} + B^{jk} + C^{kl})");
        const std::vector<named> operands{{"A", a}, {"B", b}, {"C", c}};
        const std::string words = explain(p, operands);
        INFO(by << "\n" << words);
        CHECK(says(words, "path") == false);
        const array d = run(p, operands)["D"];
        CHECK(worst(d, by, n, n * n, n, [&](std::size_t i, std::size_t jk, std::size_t l) {
                  const std::size_t j = jk / n, k = jk % n;
                  return static_cast<long double>(entry(a, i * n + j)) + entry(b, j * n + k) +
                         entry(c, k * n + l);
              }) <= 1e-14);
    }
}

TEST_CASE("batches, views of one tensor and an output in an input's memory", "[folds_of_sums]") {
    constexpr std::size_t n = 20;
    for (const auto& by : folds) {
        INFO(by);
        const array x = drawn({3, n, n}, 1);
        const program squares = text("Y^{bik} = " + by + "_j(X^{bij} + X^{bjk})");
        const array y = run(squares, {{"X", x}})["Y"];
        for (std::size_t b = 0; b < 3; ++b) {
            const auto at = [&](std::size_t i, std::size_t j) -> long double {
                return entry(x, (b * n + i) * n + j);
            };
            array part = doubles({n, n}, std::vector<double>(n * n));
            for (std::size_t k = 0; k < n * n; ++k) entry(part, k) = entry(y, b * n * n + k);
            CHECK(worst(part, by, n, n, n, [&](std::size_t i, std::size_t j, std::size_t k) {
                      return at(i, j) + at(j, k);
                  }) <= 1e-14);
        }
        array there = x.clone();
        runner step = prepare(squares, {{"X", there}, {"Y", there}});
        step();
        CHECK(values_of(there) == values_of(y));
    }
}

TEST_CASE("the same bits on any number of threads", "[folds_of_sums]") {
    const array a = scaled({150, 170}, 1, 20), b = scaled({170, 160}, 2, 20),
                g = drawn({150, 160}, 3);
    for (const auto& by : folds) {
        const program p =
            value_and_gradient(text("C^{ik} = " + by + "_j(A^{ij} - B^{jk})"), "C", {"A", "B"});
        std::vector<std::vector<double>> first;
        for (const int count : {1, 2, 3, 5}) {
            threads(count);
            const arrays r = run(p, {{"A", a}, {"B", b}, {"dL/dC", g}});
            std::vector<std::vector<double>> now;
            for (const auto& [name, value] : r) now.push_back(values_of(value));
            if (first.empty()) first = now;
            CHECK(first == now);
        }
        threads(0);
    }
}

TEST_CASE("equal values share the gradient of an extremum", "[folds_of_sums]") {
    constexpr std::size_t n = 30;
    // Whole numbers of a few values: ties everywhere.
    array a = drawn({n, n}, 1), b = drawn({n, n}, 2), g = drawn({n, n}, 3);
    for (std::size_t k = 0; k < n * n; ++k) {
        entry(a, k) = std::round(2 * entry(a, k));
        entry(b, k) = std::round(2 * entry(b, k));
    }
    array d = drawn({n}, 4), c = drawn({n}, 5);
    for (std::size_t k = 0; k < n; ++k) {
        entry(d, k) = std::round(8 * entry(d, k));
        entry(c, k) = std::round(8 * entry(c, k));
    }
    for (const std::string terms : {"A^{ij} + B^{jk}", "A^{ij} + B^{jk} + 0.5 d^i + 0.25 c^k"}) {
        const program p = gradient(text("C^{ik} = \\max_j(" + terms + ")"), "C", {"A", "B"});
        std::vector<named> operands{{"A", a}, {"B", b}, {"dL/dC", g}};
        if (says(terms, "d")) {
            operands.push_back({"d", d});
            operands.push_back({"c", c});
        }
        INFO(terms << "\n" << explain(p, operands));
        const arrays got = run(p, operands);
        std::vector<double> of_a(n * n), of_b(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k) {
                double most = -infinity, count = 0;
                const auto sum = [&](std::size_t j) {
                    return entry(a, i * n + j) + entry(b, j * n + k);
                };
                for (std::size_t j = 0; j < n; ++j) most = std::max(most, sum(j));
                for (std::size_t j = 0; j < n; ++j) count += sum(j) == most;
                for (std::size_t j = 0; j < n; ++j) {
                    if (sum(j) != most) continue;
                    of_a[i * n + j] += entry(g, i * n + k) / count;
                    of_b[j * n + k] += entry(g, i * n + k) / count;
                }
            }
        CHECK(near(got["dL/dA"], doubles({n, n}, of_a), 1e-12));
        CHECK(near(got["dL/dB"], doubles({n, n}, of_b), 1e-12));
    }
}

TEST_CASE("the gradient of a log-sum-exp is its weights, however large the terms",
          "[folds_of_sums]") {
    constexpr std::size_t n = 40;
    for (const double magnitude : {1.0, 100.0, 1e4})
        for (const element type : {element::f64, element::f32}) {
            const array a = scaled({n, n}, 1, magnitude).converted(type),
                        b = scaled({n, n}, 2, magnitude).converted(type),
                        g = drawn({n, n}, 3).converted(type);
            const program p = value_and_gradient(
                text("C^{ik} = \\operatorname{logsumexp}_j(A^{ij} + B^{jk})"), "C", {"A", "B"});
            const std::vector<named> operands{{"A", a}, {"B", b}, {"dL/dC", g}};
            const std::string words = explain(p, operands);
            INFO(magnitude << "\n" << words);
            const arrays got = run(p, operands);
            const array x = a.converted(element::f64), y = b.converted(element::f64),
                        z = g.converted(element::f64);
            std::vector<double> of_a(n * n), of_b(n * n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < n; ++k) {
                    std::vector<long double> all;
                    for (std::size_t j = 0; j < n; ++j)
                        all.push_back(static_cast<long double>(entry(x, i * n + j)) +
                                      entry(y, j * n + k));
                    const long double c = folded("\\operatorname{logsumexp}", all);
                    for (std::size_t j = 0; j < n; ++j) {
                        const auto weight = static_cast<double>(std::exp(all[j] - c));
                        of_a[i * n + j] += entry(z, i * n + k) * weight;
                        of_b[j * n + k] += entry(z, i * n + k) * weight;
                    }
                }
            // A sum of two terms is rounded: a weight has the error of its exponent.
            const double u = type == element::f64 ? 1.2e-16 : 6e-8;
            const double error = n * u * (20 + 8 * magnitude);
            CHECK(near(got["dL/dA"].converted(element::f64), doubles({n, n}, of_a), error));
            CHECK(near(got["dL/dB"].converted(element::f64), doubles({n, n}, of_b), error));
        }
}
