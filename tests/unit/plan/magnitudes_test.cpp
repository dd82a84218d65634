// Logarithms and quotients of exponentials where factors are negative, numbers are infinite, or far
// beyond what an exponential holds: the values of plain loops in long double.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using real = long double;
using operands = std::map<std::string, std::vector<double>>;
/// The operands as a run of some element type has them, as rows of `width`.
using reading = std::function<real(const std::string&, std::size_t)>;
using oracle = std::function<std::vector<real>(const reading&)>;

std::vector<double> run(const std::string& text, const operands& given, std::size_t width,
                        const std::string& of, element type, bool fuse, operands& read) {
    bound_program p(text, type, 1);
    for (const auto& [name, values] : given) {
        if (p.name(name) == ir::none) continue;
        const auto columns = static_cast<std::int64_t>(width);
        const auto rows = static_cast<std::int64_t>(values.size() / width);
        const bool is_row = name.front() >= 'a' && name.front() <= 'z';
        auto& m = p.allocate(is_row ? shape{columns} : shape{rows, columns}, layout::row_major);
        std::size_t k = 0;
        m.each([&](std::int64_t offset) {
            m.set(offset, values[k++]);
            read[name].push_back(m.get(offset));
        });
        p.input(name, m);
    }
    p.fuse = fuse;
    auto step = p.prepare();
    step.run();
    const auto values = p.result(p.name(of)).values().values;
    return {values.begin(), values.end()};
}

bool is_near(double got, real want, element type) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    const bool wide = type == element::f64;
    const double stored = wide ? static_cast<double>(want) : static_cast<float>(want);
    if (std::isinf(stored)) return got == stored;
    return std::abs(got - want) <= (wide ? 1e-12 : 1e-5) * std::max<real>(1, std::abs(want));
}

/// The values of a tensor with the operands; a name in small letters has one axis.
void check(const std::string& text, const std::string& of, std::size_t width, const operands& given,
           const oracle& loops) {
    for (const element type : {element::f64, element::f32})
        for (const bool fuse : {false, true}) {
            INFO(text << (fuse ? "\nfused" : "") << (type == element::f32 ? ", float" : ""));
            operands read;
            const auto got = run(text, given, width, of, type, fuse, read);
            const auto want = loops([&](const std::string& name, std::size_t k) -> real {
                return read.contains(name) ? read.at(name)[k] : 0;
            });
            REQUIRE(got.size() == want.size());
            for (std::size_t k = 0; k < got.size(); ++k) {
                INFO(k << ": " << got[k] << ", not " << static_cast<double>(want[k]));
                CHECK(is_near(got[k], want[k], type));
            }
        }
}

/// Element by element.
oracle each(std::size_t n, const std::function<real(const reading&, std::size_t)>& of) {
    return [=](const reading& read) {
        std::vector<real> all;
        for (std::size_t k = 0; k < n; ++k) all.push_back(of(read, k));
        return all;
    };
}

real sigmoid(real x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("logarithms of products whose factors are negative") {
    const operands given{
        {"x", {-1.5, 0.25, 2, -4}}, {"y", {-0.75, -2, 1, -0.5}}, {"c", {-2, 3, -0.5, 0.25}}};
    const auto expect = [&](const std::string& text, auto of) {
        check(text, "L", 4, given, each(4, [of](const reading& at, std::size_t k) -> real {
                  return of(at("x", k), at("y", k), at("c", k));
              }));
    };
    expect(R"(L^i = \log((c^i \sigma(x^i))^2))",
           [](real x, real, real c) { return std::log(std::pow(c * sigmoid(x), 2)); });
    expect(R"(L^i = \log |c^i \sigma(x^i)|)",
           [](real x, real, real c) { return std::log(std::abs(c) * sigmoid(x)); });
    expect(R"(L^i = \log((c^i \exp(x^i))^3))",
           [](real x, real, real c) { return 3 * (std::log(c) + x); });
    expect(R"(L^i = \log\left(\frac{c^i \sigma(x^i)}{c^i \sigma(y^i)}\right))",
           [](real x, real y, real) { return std::log(sigmoid(x) / sigmoid(y)); });
    expect(R"(L^i = \log((\exp(x^i) - 1) (\exp(y^i) - 1)))",
           [](real x, real y, real) { return std::log((std::exp(x) - 1) * (std::exp(y) - 1)); });
    expect(
        R"(u^i = c^i \sigma(x^i)
              v^i = (y^i)^3 \sigma(x^i)
              L^i = \log(u^i v^i))",
        [](real x, real y, real c) { return std::log(c * y * y * y * sigmoid(x) * sigmoid(x)); });
    expect(R"(u^i = \exp(x^i) - 1
              L^i = \log(c^i u^i (u^i)^{-3}))",
           [](real x, real, real c) { return std::log(c / std::pow(std::exp(x) - 1, 2)); });
}

TEST_CASE("logarithms of products of products are made once for each") {
    std::string text = "b_0^i = y^i + \\exp(x^i)\n";
    for (int k = 1; k <= 12; ++k) {
        const std::string before = "b_{" + std::to_string(k - 1) + "}^i";
        text += "b_{" + std::to_string(k) + "}^i = " + before + " (" + before + " + \\exp(x^i))\n";
    }
    check(text + "L^i = \\log b_{12}^i", "L", 2, {{"x", {-0.5, 0.25}}, {"y", {0.125, 0.25}}},
          each(2, [](const reading& at, std::size_t k) {
              const real e = std::exp(at("x", k));
              real b = at("y", k) + e;
              for (int n = 0; n < 12; ++n) b *= b + e;
              return std::log(b);
          }));
}

TEST_CASE("sums of exponentials that are infinite, or 0") {
    const operands given{{"x", {infinity, -infinity, 300, -1e30}},
                         {"y", {infinity, -infinity, 0, -1e30}}};
    check(R"(L^i = \log(\exp(x^i) + \exp(y^i)))", "L", 4, given,
          each(4, [](const reading& at, std::size_t k) -> real {
              const real most = std::max(at("x", k), at("y", k));
              return k < 2 ? most
                           : most + std::log(std::exp(at("x", k) - most) +
                                             std::exp(at("y", k) - most));
          }));
    check(R"(L^i = \frac{1}{\exp(x^i) + \exp(y^i)})", "L", 4, given,
          each(4, [](const reading&, std::size_t k) -> real {
              return k == 0 || k == 2 ? (k == 2 ? std::exp(real(-300)) : real(0)) : infinity;
          }));
}

TEST_CASE("what brackets hide may be infinite, in a tensor that is divided by weights too") {
    const operands given{{"x", {0.5, -1, 2, 0.25, 1}},
                         {"c", {1, 0, 2, 0, -1}},
                         {"y", {3, infinity, -1, std::nan(""), 2}}};
    const auto mean_of = [](auto value, auto counts) {
        return [=](const reading& at) {
            real sum = 0, all = 0;
            for (std::size_t k = 0; k < 5; ++k)
                if (counts(at("c", k))) {
                    sum += value(at, k) * std::exp(at("x", k));
                    all += std::exp(at("x", k));
                }
            return std::vector<real>{sum / all};
        };
    };
    const auto positive = [](real c) { return c > 0; };
    check(R"(L = \frac{\sum_j [c^j > 0] y^j \exp(x^j)}{\sum_j [c^j > 0] \exp(x^j)})", "L", 5, given,
          mean_of([](const reading& at, std::size_t k) { return at("y", k); }, positive));
    check(R"(u^j = \log c^j
             L = \frac{\sum_j [c^j > 0] u^j \exp(x^j)}{\sum_j [c^j > 0] \exp(x^j)})",
          "L", 5, {{"x", given.at("x")}, {"c", given.at("c")}},
          mean_of([](const reading& at, std::size_t k) { return std::log(at("c", k)); }, positive));
    check(R"(u^j = \frac{1}{c^j}
             L = \frac{\sum_j [c^j \ne 0] u^j \exp(x^j)}{\sum_j [c^j \ne 0] \exp(x^j)})",
          "L", 5, {{"x", given.at("x")}, {"c", given.at("c")}},
          mean_of([](const reading& at, std::size_t k) { return 1 / at("c", k); },
                  [](real c) { return c != 0; }));
    // Under a condition on places, where tiles have weights of 0.
    operands pairs{{"S", {}}, {"V", {}}};
    for (std::size_t k = 0; k < 49; ++k) {
        pairs["S"].push_back(std::sin(1.7 * static_cast<double>(k)));
        pairs["V"].push_back(k < 35       ? std::cos(2.3 * static_cast<double>(k))
                             : k % 2 == 0 ? infinity
                                          : std::nan(""));
    }
    check(R"(O^{ic} = \frac{\sum_j [j \le i] \exp(S^{ij}) V^{jc}}{\sum_j [j \le i] \exp(S^{ij})})",
          "O", 7, pairs, [](const reading& at) {
              std::vector<real> all;
              for (std::size_t i = 0; i < 7; ++i)
                  for (std::size_t c = 0; c < 7; ++c) {
                      real sum = 0, weights = 0;
                      for (std::size_t j = 0; j <= i; ++j) {
                          const real w = std::exp(at("S", 7 * i + j));
                          sum += w * at("V", 7 * j + c);
                          weights += w;
                      }
                      all.push_back(sum / weights);
                  }
              return all;
          });
}

TEST_CASE("exponentials beyond all numbers whose logarithm is moderate") {
    operands given{{"S", {}}};
    for (std::size_t k = 0; k < 20; ++k)
        given["S"].push_back(1500 * std::sin(1.7 * static_cast<double>(k)));
    const auto of_rows = [](auto value) {
        return [=](const reading& at) {
            std::vector<real> all;
            for (std::size_t i = 0; i < 4; ++i) {
                std::vector<real> row;
                for (std::size_t j = 0; j < 5; ++j) row.push_back(at("S", 5 * i + j));
                all.push_back(value(row));
            }
            return all;
        };
    };
    // Of long double no exponential of these is infinite.
    const auto sum_of = [](const std::vector<real>& row, auto of) {
        real sum = 0;
        for (const real x : row) sum += of(x);
        return sum;
    };
    check(R"(L^i = \log \sum_j (\exp(S^{ij}))^2)", "L", 5, given, of_rows([=](const auto& row) {
              return std::log(sum_of(row, [](real x) { return std::exp(2 * x); }));
          }));
    check(R"(L^i = \log \operatorname{mean}_j \exp(S^{ij}))", "L", 5, given,
          of_rows([=](const auto& row) {
              return std::log(sum_of(row, [](real x) { return std::exp(x) / 5; }));
          }));
    check(R"(L^i = \log \prod_j \sigma(S^{ij}))", "L", 5, given, of_rows([=](const auto& row) {
              return sum_of(row, [](real x) { return std::log(sigmoid(x)); });
          }));
    check(R"(L^i = \log |\sum_j \exp(S^{ij})|)", "L", 5, given, of_rows([=](const auto& row) {
              return std::log(sum_of(row, [](real x) { return std::exp(x); }));
          }));
    check(R"(L^i = \sum_j \log \cosh(S^{ij}))", "L", 5, given, of_rows([=](const auto& row) {
              return sum_of(row, [](real x) { return std::log(std::cosh(x)); });
          }));
    check(
        R"(L^i = \sum_j \frac{\sinh(S^{ij})}{\cosh(S^{ij})})", "L", 5, given,
        of_rows([=](const auto& row) { return sum_of(row, [](real x) { return std::tanh(x); }); }));
    check(R"(L^i = \frac{\sum_j (\exp(S^{ij}) - 1) \exp(S^{ij})}{\sum_j \exp(S^{ij})})", "L", 5,
          {{"S", {1, 2, 3, -4, 5, 0, 1, -0.5, 7, -9, 2, 2, 0, 1, -1, 3, 0.5, 0.25, 1, 1}}},
          of_rows([=](const auto& row) {
              return sum_of(row, [](real x) { return (std::exp(x) - 1) * std::exp(x); }) /
                     sum_of(row, [](real x) { return std::exp(x); });
          }));
}
