// What a bracket excludes stays excluded from derivatives, across equations too: slopes there may
// be infinite or no number.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A scalar U of x, whose slopes at i = j, or where a mask is false, are infinite or no numbers.
struct masked_case {
    const char* equations;
    std::vector<std::size_t> extents;
};

const std::vector<masked_case> cases{
    {"r^{ij} = \\lVert x^{ia} - x^{ja} \\rVert\nU = \\sum_{i<j} \\frac{1}{r^{ij}}", {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\sum_{i \\ne j} \\frac{1}{r^{ij}}",
     {5, 3}},
    {"d^{ija} = x^{ia} - x^{ja}\nr^{ij} = \\sqrt{\\sum_a d^{ija} d^{ija}}\ns^{ij} = "
     "\\frac{1}{r^{ij}}\nU = \\sum_{i<j} s^{ij}",
     {5, 3}},
    {"r^{ij} = \\lVert x^{ia} - x^{ja} \\rVert\nU = \\sum_{i,j} \\begin{cases} \\frac{1}{r^{ij}} & "
     "\\text{if } i < j \\\\ 0 & \\text{otherwise} \\end{cases}",
     {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\sum_{i,j} \\begin{cases} 0 & \\text{if } "
     "i "
     "= j \\\\ \\frac{1}{r^{ij}} & \\text{if } i < j \\\\ r^{ij} & \\text{otherwise} \\end{cases}",
     {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\sum_{i<j} \\frac{1}{r^{ij}} + "
     "\\sum_{j<i} "
     "(r^{ij})^{-2}",
     {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nV^{ij} = [i \\ne j] \\log r^{ij}\nW^{ij} = "
     "V^{ij} "
     "\\exp(V^{ij})\nU = \\sum_{i,j} W^{ij}",
     {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\prod_{i<j} (r^{ij} + 1)", {4, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\sum_i (r^{i,i+1} - 1)^2", {5, 3}},
    {"r^{ij} = \\sqrt{\\sum_a (x^{ia} - x^{ja})^2}\nU = \\sum_{j} [j > 0] \\frac{1}{r^{0j}} + "
     "\\sum_i r^{i,i+1}",
     {5, 3}},
    {"q^{ij} = (x^i - x^j)^2\nr^{ij} = \\sqrt{q^{ij}}\nm^{ij} = [i < j]\nU = \\sum_{i,j} m^{ij} "
     "(r^{ij})^{-1}",
     {6}},
};

}  // namespace

TEST_CASE("brackets go with derivatives into other equations", "[strong_zeros]") {
    for (const auto& c : cases) {
        INFO(c.equations);
        const program p = text(c.equations);
        const array x = drawn(c.extents, 3), want = differences(p, {}, "U", "x", x);
        double most = 1;
        for (const double v : values_of(want)) most = std::max(most, std::abs(v));
        const array slopes = run(gradient(p, "U", {"x"}), {{"x", x}, {"dL/dU", one()}})["dL/dx"];
        CHECK(near(slopes, want, 1e-6 * most));
        CHECK(near(run(jacobian(p, "U", {"x"}), {{"x", x}})["dU/dx"], want, 1e-6 * most));
        // along each direction at once: what the slopes give
        const array along = drawn(c.extents, 4);
        double change = 0;
        for (std::size_t k = 0; k < x.size(); ++k) change += entry(want, k) * entry(along, k);
        const array t = run(tangent(p, {"x"}), {{"x", x}, {"d/dt x", along}})["d/dt U"];
        CHECK(std::abs(entry(t, 0) - change) <= 1e-5 * (1 + std::abs(change)) * most);
    }
}

/// Slopes that are infinite where i is 0, or 1, beside several factors that change.
const std::vector<const char*> hidden_products{
    "U = \\sum_i \\log(i) ([i > 0] x^i \\sin(x^i))",
    "U = \\sum_i \\frac{[i > 0] x^i \\sin(x^i)}{i}",
    "U = \\sum_i \\frac{[i \\ne 1] x^i \\exp(x^i)}{[i \\ne 1]}",
    "U = \\sum_i \\frac{[i > 0] x^i}{[i > 0] \\exp(x^i)}",
    "U = \\sum_i \\sqrt{[i > 0] \\exp(x^i) (2 + \\sin(x^i))}",
    "U = \\sum_i ([i > 0] \\exp(x^i) (2 + \\sin(x^i)))^{-1} [i > 0] x^i",
    "U = \\sum_i [i > 0] x^i \\log([i > 0] \\exp(x^i) (2 + \\sin(x^i)))",
    "U = \\sum_i \\sqrt{\\begin{cases} \\exp(x^i) (2 + \\sin(x^i)) & \\text{if } i > 0 \\\\ 0 & "
    "\\text{otherwise} \\end{cases}}",
    "r^i = \\sqrt{\\sum_j [j < i] \\exp(x^j) (2 + \\sin(x^j))}\nU = \\sum_i r^i",
    "r^i = \\sqrt{\\operatorname{mean}_j([j < i] \\exp(x^j) (2 + \\sin(x^j)))}\nU = \\sum_i r^i",
    "U = \\sum_i \\sqrt{[i > 0] \\exp(x^i) + [i > 1] (2 + \\sin(x^i))}",
};

TEST_CASE("a bracket hides every term of a derivative", "[strong_zeros]") {
    for (const char* equations : hidden_products) {
        INFO(equations);
        const program p = text(equations);
        const array x = drawn({4}, 3), v = drawn({4}, 4), want = differences(p, {}, "U", "x", x);
        const program slopes = gradient(p, "U", {"x"});
        CHECK(near(run(slopes, {{"x", x}, {"dL/dU", one()}})["dL/dx"], want, 1e-6));
        CHECK(near(run(jacobian(p, "U", {"x"}), {{"x", x}})["dU/dx"], want, 1e-6));
        double change = 0;
        for (std::size_t k = 0; k < x.size(); ++k) change += entry(want, k) * entry(v, k);
        const array t = run(tangent(p, {"x"}), {{"x", x}, {"d/dt x", v}})["d/dt U"];
        CHECK(std::abs(entry(t, 0) - change) <= 1e-6);
        const array bends =
            run(tangent(slopes, {"x"}), {{"x", x}, {"dL/dU", one()}, {"d/dt x", v}})["d/dt dL/dx"];
        array above = x.clone(), below = x.clone();
        for (std::size_t k = 0; k < x.size(); ++k) {
            entry(above, k) += 1e-6 * entry(v, k);
            entry(below, k) -= 1e-6 * entry(v, k);
        }
        const array up = run(slopes, {{"x", above}, {"dL/dU", one()}})["dL/dx"];
        const array down = run(slopes, {{"x", below}, {"dL/dU", one()}})["dL/dx"];
        for (std::size_t k = 0; k < x.size(); ++k)
            CHECK(std::abs(entry(bends, k) - (entry(up, k) - entry(down, k)) / 2e-6) <= 1e-6);
    }
}

TEST_CASE("second derivatives of masked pairs", "[strong_zeros]") {
    for (std::size_t k : {std::size_t{0}, std::size_t{2}, std::size_t{6}}) {
        const auto& c = cases[k];
        INFO(c.equations);
        const program first = gradient(text(c.equations), "U", {"x"});
        const array x = drawn(c.extents, 5), w = drawn(c.extents, 6);
        const array along =
            run(tangent(first, {"x"}), {{"x", x}, {"dL/dU", one()}, {"d/dt x", w}})["d/dt dL/dx"];
        array above = x.clone(), below = x.clone();
        for (std::size_t e = 0; e < x.size(); ++e) {
            entry(above, e) += 1e-6 * entry(w, e);
            entry(below, e) -= 1e-6 * entry(w, e);
        }
        const array up = run(first, {{"x", above}, {"dL/dU", one()}})["dL/dx"];
        const array down = run(first, {{"x", below}, {"dL/dU", one()}})["dL/dx"];
        for (std::size_t e = 0; e < x.size(); ++e) {
            const double want = (entry(up, e) - entry(down, e)) / 2e-6;
            CHECK(std::abs(entry(along, e) - want) <= 1e-4 * (1 + std::abs(want)));
        }
    }
}

TEST_CASE("batches of masked pairs", "[strong_zeros]") {
    const program p = text(cases[0].equations);
    const program many = batch(gradient(p, "U", {"x"}), {.of = {"x"}, .index = "b"});
    const array x = drawn({2, 5, 3}, 7);
    const array got = run(many, {{"x", x}, {"dL/dU", one()}})["dL/dx"];
    for (std::size_t b = 0; b < 2; ++b) {
        std::vector<double> mine;
        for (std::size_t k = 0; k < 15; ++k) mine.push_back(entry(x, 15 * b + k));
        const array alone = doubles({5, 3}, mine), want = differences(p, {}, "U", "x", alone);
        for (std::size_t k = 0; k < 15; ++k)
            CHECK(std::abs(entry(got, 15 * b + k) - entry(want, k)) <=
                  1e-5 * (1 + std::abs(entry(want, k))));
    }
}

TEST_CASE("the slope of a quotient under a mask", "[strong_zeros]") {
    array m(element::boolean, {4});
    for (std::size_t k = 0; k < 4; ++k) static_cast<bool*>(m.data())[k] = k % 2 == 0;
    const array b = doubles({4}, {2, 0, -4, 0}), a = doubles({4}, {3, 5, 7, no_number});
    const array w = doubles({4}, {1, 1, 1, 1});
    for (const char* equation :
         {"y^i = \\frac{[m^i]}{b^i}", "y^i = [m^i] / b^i", "y^i = \\frac{[m^i] 1}{b^i}",
          "k^i = [m^i]\ny^i = \\frac{k^i}{b^i}", "q^i = \\frac{1}{b^i}\ny^i = [m^i] q^i"}) {
        INFO(equation);
        const program p = text(equation);
        const array want = doubles({4}, {-0.25, 0, -0.0625, 0});
        const auto operands = [&](named more) {
            return std::vector<named>{{"m", m}, {"b", b}, std::move(more)};
        };
        CHECK(near(run(gradient(p, "y", {"b"}), operands({"dL/dy", w}))["dL/db"], want, 1e-15));
        CHECK(near(run(tangent(p, {"b"}), operands({"d/dt b", w}))["d/dt y"], want, 1e-15));
    }
    const program both = text("y^i = \\frac{[m^i] a^i}{b^i}");
    const arrays g =
        run(gradient(both, "y", {"a", "b"}), {{"m", m}, {"a", a}, {"b", b}, {"dL/dy", w}});
    CHECK(near(g["dL/da"], doubles({4}, {0.5, 0, -0.25, 0}), 1e-15));
    CHECK(near(g["dL/db"], doubles({4}, {-0.75, 0, -7.0 / 16, 0}), 1e-15));
}

TEST_CASE("what minus infinity hides has no slope", "[strong_zeros]") {
    // log(x^i - x^j) is no number, or has an infinite slope, where j >= i
    const array x = doubles({4}, {0.5, 1, 1.75, 3});
    for (const char* equations :
         {"S^{ij} = \\log(x^i - x^j) - \\infty \\cdot [j \\ge i]\nA^{ij} = "
          "\\operatorname{softmax}_j(S^{ij})\nU = \\sum_{i,j} A^{ij} x^j",
          "S^{ij} = \\begin{cases} \\log(x^i - x^j) & \\text{if } j < i \\\\ -\\infty & "
          "\\text{otherwise} \\end{cases}\nA^{ij} = \\operatorname{softmax}_j(S^{ij})\n"
          "U = \\sum_{i,j} A^{ij} x^j"}) {
        INFO(equations);
        const program p = text(equations);
        CHECK(near(run(gradient(p, "U", {"x"}), {{"x", x}, {"dL/dU", one()}})["dL/dx"],
                   differences(p, {}, "U", "x", x), 1e-6));
        CHECK(near(run(jacobian(p, "U", {"x"}), {{"x", x}})["dU/dx"],
                   differences(p, {}, "U", "x", x), 1e-6));
    }
}

TEST_CASE("what exponentials cancel with does not lose its brackets", "[strong_zeros]") {
    // \exp(x)^2 is infinite where the brackets are false, and the quotient is computed stably
    const array x = doubles({3}, {1, 1000, 2}), a = doubles({3}, {1, 2, 3});
    const array b = doubles({3}, {1.5, 3, 5}), z = doubles({3}, {0.5, -1, 2});
    const auto e = [&](std::size_t k) {
        return std::exp(2 * entry(x, k)) / (1 + 3 * std::exp(-entry(z, k)));
    };
    const std::string both = "(e^{x^i})^2 \\frac{e^{z^i}}{e^{z^i} + 3}";
    const auto y = [&](const std::string& equation) {
        return run(text(equation), {{"x", x}, {"a", a}, {"b", b}, {"z", z}})["Y"];
    };
    const array of_both = doubles({3}, {-0.5 * e(0), 0, -2 * e(2)});
    CHECK(near(y("Y^i = [x^i < 100] a^i " + both + " - [x^i < 100] b^i " + both), of_both, 1e-10));
    // brackets of which none is that of the other term
    CHECK(near(y("Y^i = [x^i < 100] a^i " + both + " - [i \\ne 1] b^i " + both), of_both, 1e-10));
    // row 0 has no terms
    const array late = doubles({3}, {1000, 1, 2});
    const array sums =
        run(text("Y^i = \\sum_j [j < i] a^j " + both), {{"x", late}, {"a", a}, {"z", z}})["Y"];
    CHECK(entry(sums, 0) == 0);
    CHECK(std::abs(entry(sums, 1) - std::exp(2.) / (1 + 3 * std::exp(1.))) < 1e-12);
    CHECK(std::abs(entry(sums, 2) - 3 * e(2)) < 1e-10);
    // a sum over other exponentials, of weights with and without a sign
    const array v = doubles({3}, {0.5, -1, 0.25});
    for (const double sign : {1.0, -1.0}) {
        const array w = doubles({3}, {1, 2 * sign, 3});
        double weighted = 0;
        for (std::size_t k = 0; k < 3; ++k) weighted += entry(w, k) * std::exp(entry(v, k));
        const array got = run(text("Y^i = \\sum_j [x^i < 100] w^j e^{v^j} " + both),
                              {{"x", x}, {"w", w}, {"v", v}, {"z", z}})["Y"];
        const array want = doubles({3}, {weighted * e(0), 0, weighted * e(2)});
        CHECK(near(got, want, 1e-9));
    }
}

TEST_CASE("NaN and infinity behind a mask stay out of gradients of products", "[strong_zeros]") {
    for (const double hidden : {no_number, infinity}) {
        // K has no number in its last row, which only the last query sees
        const std::size_t n = 6;
        array q = drawn({n, 2}, 8), k = drawn({n, 2}, 9), v = drawn({n, 3}, 10);
        entry(k, 2 * n - 1) = hidden;
        const program p = text(
            "A^{ij} = Q^{ia} K^{ja}\nO^{ic} = \\sum_{j \\le i} A^{ij} V^{jc}\n"
            "U = \\sum_{i,c} [i < 5] O^{ic}");
        const arrays g = run(gradient(p, "U", {"Q", "K", "V"}),
                             {{"Q", q}, {"K", k}, {"V", v}, {"dL/dU", one()}});
        array finite = k.clone();
        entry(finite, 2 * n - 1) = 0.5;
        const arrays want = run(gradient(p, "U", {"Q", "K", "V"}),
                                {{"Q", q}, {"K", finite}, {"V", v}, {"dL/dU", one()}});
        for (const char* name : {"dL/dQ", "dL/dK", "dL/dV"}) {
            INFO(name);
            CHECK(near(g[name], want[name], 1e-12));
        }
    }
}

TEST_CASE("a bracket hides what a gather picks, wherever it stands", "[strong_zeros]") {
    array g(element::i32, {4});
    for (std::size_t k = 0; k < 4; ++k)
        static_cast<std::int32_t*>(g.data())[k] = static_cast<std::int32_t>(k % 3);
    const array m = doubles({3}, {2, 3, 4}), x = doubles({4}, {no_number, infinity, 5, 6});
    const array want = doubles({4}, {0, 0, 20, 12});
    for (const char* equation :
         {"R^{i} = [i \\ge 2] M^{g_i} X^i", "R^{i} = M^{g_i} X^i [i \\ge 2]",
          "R^{i} = M^{g_i} [i \\ge 2] X^i", "R^{i} = X^i M^{g_i} [i \\ge 1] [i \\ge 2]",
          "R^i = \\frac{M^{g_i} [i \\ge 2]}{\\frac{1}{X^i}}",
          "c^i = [i \\ge 2]\nR^i = M^{g_i} X^i c^i"}) {
        INFO(equation);
        CHECK(near(run(text(equation), {{"M", m}, {"g", g}, {"X", x}})["R"], want, 1e-12));
    }
    // the mask itself is picked
    const array want_picked = doubles({4}, {0, 0, 5, 0});
    CHECK(near(run(text("c^j = [j \\ge 2]\nR^i = c^{g_i} X^i"),
                   {{"g", g}, {"X", x}, {"j", extent(3)}})["R"],
               want_picked, 1e-12));
}

TEST_CASE("weights of a softmax are hidden by brackets where what they weigh is infinite",
          "[strong_zeros]") {
    const array c = doubles({3}, {0, 1, 2}), x = doubles({3}, {1, 2, 3});
    const double sum = std::exp(2) + std::exp(3);
    for (const char* weight : {"\\frac{1}{c^j}", "(c^j)^{-1}", "(1 - \\log(c^j))"}) {
        INFO(weight);
        const auto p = text("a = \\frac{\\sum_j [c^j > 0] " + std::string(weight) +
                            " \\exp(x^j)}{\\sum_j [c^j > 0] \\exp(x^j)}");
        const double second =
            std::string(weight).find("log") == std::string::npos ? 0.5 : 1 - std::log(2);
        const double want = (std::exp(2) + second * std::exp(3)) / sum;
        CHECK(entry(run(p, {{"c", c}, {"x", x}})["a"], 0) == Approx(want));
    }
}

TEST_CASE("brackets hide powers of exponentials that are infinite from a logarithm",
          "[strong_zeros]") {
    const array c = doubles({4}, {1, 1, -1, 1}),
                x = doubles({4}, {1, 2, std::numeric_limits<double>::infinity(), 3}),
                y = doubles({4}, {-1, -2, -std::numeric_limits<double>::infinity(), -3});
    const double squares = std::log(std::exp(2) + std::exp(4) + std::exp(6)),
                 roots = std::log(std::exp(.5) + std::exp(1) + std::exp(1.5)),
                 sum = std::log(std::exp(1) + std::exp(2) + std::exp(3));
    const std::pair<const char*, double> powers[] = {
        {"(\\exp(x^j))^2", squares}, {"\\sqrt{\\exp(x^j)}", roots}, {"\\frac{1}{\\exp(y^j)}", sum}};
    for (const auto& [power, want] : powers)
        for (const char* bracket : {"[c^j > 0]", "[j \\ne 2]"}) {
            INFO(bracket << power);
            std::vector<named> operands{{power[6] == '1' ? "y" : "x", power[6] == '1' ? y : x}};
            if (bracket[1] == 'c') operands.push_back({"c", c});
            const auto p = text("a = \\log \\sum_j " + std::string(bracket) + " " + power);
            CHECK(entry(run(p, operands)["a"], 0) == Approx(want));
        }
    arrays prefix = run(text("a^i = \\log \\sum_{j \\le i} (\\exp(x^j))^2"), {{"x", x}});
    CHECK(entry(prefix["a"], 0) == Approx(2));
    CHECK(entry(prefix["a"], 1) == Approx(std::log(std::exp(2) + std::exp(4))));
}

TEST_CASE("an exponential in front of a sum of others counts once", "[strong_zeros]") {
    const array x = drawn({3}, 1), s = drawn({3, 4}, 2), q = drawn({4}, 3);
    for (const char* weight : {"", "q^j", "(q^j)^2", "\\sigma(q^j)", "[q^j > 0]"}) {
        const std::string sum = "\\sum_j " + std::string(weight) + " \\exp(x^i) \\exp(s^{ij})",
                          word = weight;
        std::vector<double> sums;
        for (std::size_t i = 0; i < 3; ++i) {
            double all = 0;
            for (std::size_t j = 0; j < 4; ++j) {
                const double v = entry(q, j);
                const double w = word.empty()           ? 1
                                 : word == "q^j"        ? v
                                 : word == "(q^j)^2"    ? v * v
                                 : word.front() == '\\' ? 1 / (1 + std::exp(-v))
                                 : v > 0                ? 1
                                                        : 0;
                all += w * std::exp(entry(s, 4 * i + j));
            }
            sums.push_back(all);
        }
        for (const auto& [equations, inverse] :
             {std::pair{"c^i = \\frac{\\exp(x^i)}{" + sum + "}", true},
              std::pair{"b^i = " + sum + "\nc^i = \\frac{b^i}{\\exp(x^i)}", false}}) {
            INFO(equations);
            std::vector<named> operands{{"x", x}, {"s", s}};
            if (!word.empty()) operands.push_back({"q", q});
            const arrays got = run(text(equations), operands);
            for (std::size_t i = 0; i < 3; ++i)
                CHECK(entry(got["c"], i) == Approx(inverse ? 1 / sums[i] : sums[i]));
        }
    }
}
