// Derivatives where a chain rule multiplies 0 by infinity, and logarithms of what has become 0 or
// infinite: the values and slopes are moderate numbers there.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;

namespace {

using numbers = std::vector<double>;

program read(const std::string& text) { return parse(text).value(); }

array list(const numbers& values) {
    array a(element::f64, {values.size()});
    for (std::size_t k = 0; k < values.size(); ++k) static_cast<double*>(a.data())[k] = values[k];
    return a;
}
array single(const numbers& values) {
    array a(element::f32, {values.size()});
    for (std::size_t k = 0; k < values.size(); ++k)
        static_cast<float*>(a.data())[k] = static_cast<float>(values[k]);
    return a;
}
array scalar(double value, element type = element::f64) {
    array a(type, std::vector<std::size_t>{});
    if (type == element::f32) *static_cast<float*>(a.data()) = static_cast<float>(value);
    else *static_cast<double*>(a.data()) = value;
    return a;
}
numbers values_of(const array& a) {
    numbers all;
    for (std::size_t k = 0; k < a.size(); ++k)
        all.push_back(a.type() == element::f32 ? static_cast<const float*>(a.data())[k]
                                               : static_cast<const double*>(a.data())[k]);
    return all;
}
void check_near(const numbers& got, const numbers& expected, double slack = 1e-12) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        INFO("element " << k << ": " << got[k] << ", expected " << expected[k]);
        CHECK(std::abs(got[k] - expected[k]) <= slack * (1 + std::abs(expected[k])));
    }
}
/// The gradient of a number or a vector y by x, with 1 for what comes from above.
numbers slope(const std::string& text, std::vector<named> operands, const std::string& by,
              std::size_t rows) {
    const program g = gradient(read(text), "y", {by});
    operands.push_back({"dL/dy", rows == 0 ? scalar(1) : list(numbers(rows, 1))});
    return values_of(run(g, operands)["dL/d" + by]);
}
/// Of the gradient once more, by x again.
numbers curvature(const std::string& text, const std::vector<named>& operands, std::size_t rows) {
    const program g = gradient(gradient(read(text), "y", {"x"}), "dL/dx", {"x"});
    std::vector<named> all = operands;
    const array ones = list(numbers(rows, 1));
    for (const tensor_info& t : g.inputs())
        if (t.rank == 1 && t.name.starts_with("d")) all.push_back({t.name, ones});
        else if (t.rank == 0 && t.name.starts_with("d")) all.push_back({t.name, scalar(1)});
    return values_of(run(g, all)[g.outputs()[0].name]);
}

struct softened {
    numbers p, log_p;
};
/// A softmax and its logarithm in long double.
softened softmax(const numbers& x) {
    long double most = x[0], sum = 0;
    for (const double v : x) most = std::max<long double>(most, v);
    for (const double v : x) sum += std::exp(v - most);
    softened s;
    for (const double v : x) {
        s.log_p.push_back(static_cast<double>(v - most - std::log(sum)));
        s.p.push_back(static_cast<double>(std::exp(v - most) / sum));
    }
    return s;
}

const std::vector<numbers> scores = {
    {-1000, 0, 3}, {1e5, 0, 1e5}, {-1e5, -1e5 + 1, -1e5}, {0.3, -0.2, 0.1}, {1000, -1000, 999}};

}  // namespace

TEST_CASE("a power of 0 by its base and by its exponent") {
    const std::vector<named> both{{"x", list({0, 0, 0, 0, 2, 0.5})},
                                  {"n", list({2, 1, 0, 3, 3, 0})}};
    const std::string text = "y^i = (x^i)^{n^i}";
    check_near(slope(text, both, "x", 6), {0, 1, 0, 0, 12, 0});
    check_near(slope(text, both, "n", 6), {0, 0, 0, 0, 8 * std::log(2.0), std::log(0.5)});
    check_near(curvature(text, both, 6), {2, 0, 0, 0, 12, 0});
    for (const int n : {0, 1, 2, 3}) {
        const std::vector<named> bound{{"x", list({0, 2})}, {"n", n}};
        check_near(slope("y^i = (x^i)^n", bound, "x", 2),
                   {n == 1 ? 1.0 : 0.0, n * std::pow(2, n - 1)});
        check_near(curvature("y^i = (x^i)^n", bound, 2),
                   {n == 2 ? 2.0 : 0.0, n * (n - 1) * std::pow(2, n - 2)});
    }
    check_near(slope("y^i = 0^{z^i}", {{"z", list({2, 0.5})}}, "z", 2), {0, 0});
    const program t = tangent(read(text), {"x", "n"});
    check_near(values_of(run(t, {both[0],
                                 both[1],
                                 {"d/dt x", list(numbers(6, 1))},
                                 {"d/dt n", list(numbers(6, 0))}})["d/dt y"]),
               {0, 1, 0, 0, 12, 0});
}

TEST_CASE("norms have the slope 0 at 0") {
    for (const char* text :
         {"y = \\lVert x^i \\rVert", "y = \\sqrt{\\sum_i x^i x^i}", "y = (\\sum_i (x^i)^2)^{1/2}",
          "s = \\sum_i (x^i)^2\ny = \\sqrt{s}", "y = \\sqrt{\\frac{1}{2} \\sum_i 3 (x^i)^2}",
          "y = \\lVert x \\rVert_1", "y = \\lVert x \\rVert_\\infty",
          "y = (\\sum_i (x^i)^2)^{3/4}"}) {
        INFO(text);
        const bool named_index = std::string(text).find("x^i") != std::string::npos;
        if (!named_index) continue;
        check_near(slope(text, {{"x", list({0, 0})}}, "x", 0), {0, 0});
        const program t = tangent(read(text), {"x"});
        check_near(values_of(run(t, {{"x", list({0, 0})}, {"d/dt x", list({1, 2})}})["d/dt y"]),
                   {0});
    }
    check_near(slope("y = \\lVert x^i \\rVert", {{"x", list({3, 4})}}, "x", 0), {0.6, 0.8});
    check_near(slope("y = \\lVert x^i \\rVert_1", {{"x", list({0, -4})}}, "x", 0), {0, -1});
    check_near(slope("y = \\lVert x^i \\rVert_\\infty", {{"x", list({0, 0})}}, "x", 0), {0, 0});
    // What divides by no root has the slope that it always had, and the curvature.
    check_near(curvature("y = \\lVert x^i \\rVert^2", {{"x", list({0, 0})}}, 2), {2, 2});
    check_near(curvature("y = \\sqrt{\\sum_i (x^i)^2}^2", {{"x", list({0, 0})}}, 2), {2, 2});
    check_near(slope("y = \\sqrt{\\sum_i (x^i)^2 + 4}", {{"x", list({0, 0})}}, "x", 0), {0, 0});
    // An infinite slope stays one.
    CHECK(std::isinf(slope("y^i = \\sqrt{x^i}", {{"x", list({0})}}, "x", 1)[0]));
    CHECK(std::isinf(
        slope("y^i = \\sqrt{(x^i)^2 + z^i}", {{"x", list({0})}, {"z", list({0})}}, "z", 1)[0]));
    CHECK(std::isinf(slope("y = \\sqrt{\\sum_i g^i (x^i)^2}",
                           {{"x", list({1, 1})}, {"g", list({1, -1})}}, "x", 0)[0]));
}

TEST_CASE("distances of points to themselves") {
    const std::string text = "y = \\sum_{i,j} \\lVert x^{ia} - x^{ja} \\rVert_a";
    array x(element::f64, {3, 2});
    const double at[] = {0, 0, 3, 4, 0, 1};
    std::copy(at, at + 6, static_cast<double*>(x.data()));
    const array g =
        run(gradient(read(text), "y", {"x"}), {{"x", x}, {"dL/dy", scalar(1)}})["dL/dx"];
    numbers expected(6);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t a = 0; a < 2 && i != j; ++a) {
                const double r = std::hypot(at[2 * i] - at[2 * j], at[2 * i + 1] - at[2 * j + 1]);
                expected[2 * i + a] += 2 * (at[2 * i + a] - at[2 * j + a]) / r;
            }
    check_near(values_of(g), expected);
    // Along a direction of its own the gradient changes by finite numbers.
    const program twice = tangent(gradient(read(text), "y", {"x"}), {"x"});
    array direction(element::f64, {3, 2});
    for (std::size_t k = 0; k < 6; ++k) static_cast<double*>(direction.data())[k] = 1;
    std::vector<named> in{{"x", x}, {"dL/dy", scalar(1)}, {"d/dt x", direction}};
    check_near(values_of(run(twice, in)[twice.outputs()[0].name]), numbers(6, 0));
}

TEST_CASE("the gradient of |z|^2") {
    array z(element::c128, {2}), seed(element::c128, {2});
    auto* const at = static_cast<std::complex<double>*>(z.data());
    auto* const g = static_cast<std::complex<double>*>(seed.data());
    at[0] = {3, 4}, at[1] = {0, 0};
    g[0] = {2, 7}, g[1] = 1;  // the loss changes by the real part: the 7 does not count
    for (const auto& [text, factor] :
         {std::pair{"y^i = |z^i|^2", 2.0}, {"y^i = |z^i|^4", 4 * 25.0}}) {
        const array d = run(gradient(read(text), "y", {"z"}), {{"z", z}, {"dL/dy", seed}})["dL/dz"];
        const auto* const got = static_cast<const std::complex<double>*>(d.data());
        CHECK(std::abs(got[0] - 2 * factor * std::conj(at[0])) < 1e-12);
        CHECK(got[1] == 0.0);
        const program t = tangent(read(text), {"z"});
        const array moved = run(t, {{"z", z}, {"d/dt z", seed}})["d/dt y"];
        CHECK(std::abs(*static_cast<const std::complex<double>*>(moved.data()) -
                       factor * (3.0 * 2 + 4.0 * 7)) < 1e-12);
    }
    check_near(slope("y^i = |x^i|^2", {{"x", list({-3, 0})}}, "x", 2), {-6, 0});
}

TEST_CASE("logarithms of a softmax") {
    for (const numbers& x : scores) {
        const softened s = softmax(x);
        const std::vector<named> in{{"x", list(x)}};
        numbers by_sum(3);
        for (std::size_t k = 0; k < 3; ++k) by_sum[k] = 1 - 3 * s.p[k];
        for (const char* text :
             {"y^i = \\log \\operatorname{softmax}_i(x^i)",
              "p^i = \\operatorname{softmax}_i(x^i)\ny^i = \\log p^i",
              "y^i = \\log \\frac{\\exp(x^i)}{\\sum_j \\exp(x^j)}",
              "e^i = \\exp(x^i)\nz = \\sum_i e^i\np^i = e^i / z\ny^i = \\log p^i"}) {
            INFO(text);
            check_near(values_of(run(read(text), in)["y"]), s.log_p);
            check_near(slope(text, in, "x", 3), by_sum);
            check_near(values_of(run(read(text), {{"x", single(x)}})["y"]), s.log_p, 1e-6);
        }
        double entropy = 0;
        for (std::size_t k = 0; k < 3; ++k) entropy -= s.p[k] * s.log_p[k];
        numbers by_x(3);
        for (std::size_t k = 0; k < 3; ++k) by_x[k] = -s.p[k] * (s.log_p[k] + entropy);
        for (const char* text :
             {"p^i = \\operatorname{softmax}_i(x^i)\ny = -\\sum_i p^i \\log p^i",
              "y = -\\sum_i \\operatorname{softmax}_i(x^i) \\log \\operatorname{softmax}_i(x^i)"}) {
            INFO(text);
            check_near(values_of(run(read(text), in)["y"]), {entropy});
            check_near(slope(text, in, "x", 0), by_x);
        }
    }
}

TEST_CASE("cross entropies by the logarithm of a softmax") {
    array S(element::f64, {2, 3});
    const double at[] = {-1000, 0, 3, 1e4, -1e4, 0};
    std::copy(at, at + 6, static_cast<double*>(S.data()));
    array t(element::i32, {2});
    static_cast<std::int32_t*>(t.data())[0] = 0;
    static_cast<std::int32_t*>(t.data())[1] = 2;
    const softened a = softmax({-1000, 0, 3}), b = softmax({1e4, -1e4, 0});
    const std::string text =
        "p^{ij} = \\operatorname{softmax}_j(S^{ij})\ny = -\\sum_i \\log p^{i t^i}";
    check_near(values_of(run(read(text), {{"S", S}, {"t", t}})["y"]), {-a.log_p[0] - b.log_p[2]});
    const numbers expected{a.p[0] - 1, a.p[1], a.p[2], b.p[0], b.p[1], b.p[2] - 1};
    check_near(slope(text, {{"S", S}, {"t", t}}, "S", 0), expected);
    const program moved = tangent(read(text), {"S"});
    array direction(element::f64, {2, 3});
    static_cast<double*>(direction.data())[0] = 1;
    check_near(values_of(run(moved, {{"S", S}, {"t", t}, {"d/dt S", direction}})["d/dt y"]),
               {a.p[0] - 1});
}

TEST_CASE("logarithms of \\sigma") {
    const numbers x{-1000, -40, 0, 40, 1000};
    numbers logs, rest, slopes, rest_slopes;
    for (const double v : x) {
        const auto wide = static_cast<long double>(v);
        const long double tail = std::log1p(std::exp(-std::abs(wide)));
        const long double p =
            wide < 0 ? std::exp(wide) / (1 + std::exp(wide)) : 1 / (1 + std::exp(-wide));
        logs.push_back(static_cast<double>(std::min(wide, 0.0L) - tail));
        rest.push_back(static_cast<double>(-std::max(wide, 0.0L) - tail));
        rest_slopes.push_back(static_cast<double>(-p));
        slopes.push_back(static_cast<double>(wide < 0 ? 1 / (1 + std::exp(wide))
                                                      : std::exp(-wide) / (1 + std::exp(-wide))));
    }
    const std::vector<named> in{{"x", list(x)}};
    check_near(values_of(run(read("y^i = \\log \\sigma(x^i)"), in)["y"]), logs);
    check_near(slope("y^i = \\log \\sigma(x^i)", in, "x", 5), slopes);
    for (const char* text :
         {"y^i = \\log(1 - \\sigma(x^i))", "p^i = \\sigma(x^i)\ny^i = \\log(1 - p^i)"}) {
        check_near(values_of(run(read(text), in)["y"]), rest);
        check_near(slope(text, in, "x", 5), rest_slopes);
    }
}

TEST_CASE("logarithms of weighted sums of exponentials") {
    for (const numbers& v : scores)
        for (const numbers& w :
             {numbers{0.5, 2, 1}, numbers{1e-30, 2, 1e20}, numbers{0.5, -1e-3, 1}}) {
            long double most = v[0], sum = 0;
            for (const double x : v) most = std::max<long double>(most, x);
            for (std::size_t k = 0; k < 3; ++k) sum += w[k] * std::exp(v[k] - most);
            if (!(sum > 0)) continue;
            numbers by_v, by_w;
            for (std::size_t k = 0; k < 3; ++k) {
                by_w.push_back(static_cast<double>(std::exp(v[k] - most) / sum));
                by_v.push_back(w[k] * by_w[k]);
            }
            const std::vector<named> in{{"v", list(v)}, {"w", list(w)}};
            for (const char* text :
                 {"y = \\log \\sum_j w^j \\exp(v^j)", "z = \\sum_j w^j \\exp(v^j)\ny = \\log z"}) {
                INFO(text);
                check_near(values_of(run(read(text), in)["y"]),
                           {static_cast<double>(most + std::log(sum))});
                check_near(slope(text, in, "v", 0), by_v, 1e-9);
                check_near(slope(text, in, "w", 0), by_w, 1e-9);
            }
        }
    // The largest exponential may have the weight 0.
    const std::vector<named> hidden{{"v", list({1000, 0, 0})}, {"w", list({0, 2, 1})}};
    check_near(slope("y = \\log \\sum_j w^j \\exp(v^j)", hidden, "v", 0), {0, 2.0 / 3, 1.0 / 3});
}

TEST_CASE("logarithms of sums with exponentials among their terms") {
    const numbers x{-1000, -1, 0, 2, 1000};
    numbers soft, soft_slopes, pair, pair_slopes;
    for (const double v : x) {
        const auto wide = static_cast<long double>(v);
        soft.push_back(
            static_cast<double>(std::max(wide, 0.0L) + std::log1p(std::exp(-std::abs(wide)))));
        soft_slopes.push_back(static_cast<double>(1 / (1 + std::exp(-wide))));
        const long double most = std::max(wide, 2 * wide + std::log(2.0L));
        const long double a = std::exp(wide - most), b = 2 * std::exp(2 * wide - most);
        pair.push_back(static_cast<double>(most + std::log(a + b)));
        pair_slopes.push_back(static_cast<double>((a + 2 * b) / (a + b)));
    }
    const std::vector<named> in{{"x", list(x)}};
    check_near(values_of(run(read("y^i = \\log(1 + \\exp(x^i))"), in)["y"]), soft);
    check_near(slope("y^i = \\log(1 + \\exp(x^i))", in, "x", 5), soft_slopes);
    check_near(values_of(run(read("y^i = \\log(\\exp(x^i) + 2 \\exp(2 x^i))"), in)["y"]), pair);
    check_near(slope("y^i = \\log(\\exp(x^i) + 2 \\exp(2 x^i))", in, "x", 5), pair_slopes);
    CHECK(values_of(run(read("y = \\log(a \\exp(x) + b \\exp(2 x))"),
                        {{"x", scalar(1)}, {"a", scalar(0)}, {"b", scalar(0)}})["y"])[0] ==
          -HUGE_VAL);
}
