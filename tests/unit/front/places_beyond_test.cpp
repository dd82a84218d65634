// Places beside an axis, at its end and before its beginning, which a condition keeps from being
// read.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "tests/processor_time.hpp"
#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct place_case {
    const char* equation;
    double (*value)(const std::vector<double>& x, std::size_t i);
};

double next(const std::vector<double>& x, std::size_t i) { return i + 1 < x.size() ? x[i + 1] : 0; }

// of x with 4 numbers; y has as many
const std::vector<place_case> cases{
    {"y^i = [i < 3] (x^{i+1} - x^i)",
     [](const auto& x, std::size_t i) { return i < 3 ? x[i + 1] - x[i] : 0; }},
    {"y^i = [i \\ge 1] (x^i - x^{i-1})",
     [](const auto& x, std::size_t i) { return i > 0 ? x[i] - x[i - 1] : 0; }},
    {"y^i = \\begin{cases} x^{i+1} - x^i & \\text{if } i < 3 \\\\ 0 & \\text{otherwise} "
     "\\end{cases}",
     [](const auto& x, std::size_t i) { return i < 3 ? x[i + 1] - x[i] : 0; }},
    {"y^i = \\begin{cases} -x^i & \\text{if } i = 3 \\\\ x^{i+1} - x^i & \\text{otherwise} "
     "\\end{cases}",
     [](const auto& x, std::size_t i) { return next(x, i) - x[i]; }},
    {"y^i = x^i + [i + 1 < 4] x^{i+1}",
     [](const auto& x, std::size_t i) { return x[i] + next(x, i); }},
    {"y^i = x^i + x^{i+1} [i + 1 < 4]",
     [](const auto& x, std::size_t i) { return x[i] + next(x, i); }},
    {"y^i = x^i + \\frac{[i < 3]}{x^{i+1}}",
     [](const auto& x, std::size_t i) { return x[i] + (i < 3 ? 1 / x[i + 1] : 0); }},
    {"y^i = x^i + [2 i < 4] x^{2i+1}",
     [](const auto& x, std::size_t i) { return x[i] + (i < 2 ? x[2 * i + 1] : 0); }},
    {"y^i = x^i + [i < 3 \\land x^{i+1} > 0]",
     [](const auto& x, std::size_t i) { return x[i] + (i < 3 && x[i + 1] > 0 ? 1 : 0); }},
    {"y^i = x^i + [|i - 1| \\le 1] x^{i+1}",
     [](const auto& x, std::size_t i) { return x[i] + (i < 3 ? x[i + 1] : 0); }},
    {"y^i = x^i + [i \\bmod 2 = 0] x^{i+1}",
     [](const auto& x, std::size_t i) { return x[i] + (i % 2 == 0 ? x[i + 1] : 0); }},
    {"y^i = x^i + \\sum_{j} [i + j < 4] x^{i+j} w^j",
     [](const auto& x, std::size_t i) {
         double sum = x[i];
         for (std::size_t j = 0; i + j < 4; ++j) sum += x[i + j] * (1 + 0.5 * double(j));
         return sum;
     }},
};

array of_four() { return doubles({4}, {0.5, -1.25, 2, 0.75}); }
array weights() { return doubles({4}, {1, 1.5, 2, 2.5}); }

std::string refusal(const std::string& equation, const std::vector<named>& operands) {
    try {
        run(text(equation), operands);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a place under a false condition may lie beyond either end", "[places]") {
    for (const auto& c : cases) {
        INFO(c.equation);
        const bool weighted = std::string(c.equation).find("w^") != std::string::npos;
        const array x = of_four();
        std::vector<named> others;
        if (weighted) others.push_back({"w", weights()});
        auto all = others;
        all.push_back({"x", x});
        const program p = text(c.equation);
        for (const bool given : {false, true}) {
            auto operands = all;
            if (given) operands.push_back({"i", extent(4)});
            const array y = run(p, operands)["y"];
            REQUIRE(y.size() == 4);
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(std::abs(entry(y, i) - c.value(values_of(x), i)) <= 1e-14);
        }
        auto of_gradient = all;
        of_gradient.push_back({"dL/dy", doubles({4}, {1, 1, 1, 1})});
        CHECK(near(run(gradient(p, "y", {"x"}), of_gradient)["dL/dx"],
                   differences(p, others, "y", "x", x), 1e-7));
    }
}

TEST_CASE("what such a place would hide is not read", "[places]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const array x = doubles({4}, {nan, 1, 2, 3});
    CHECK(near(run(text("y^i = [1 \\le i < 3] (x^{i+1} - x^i)"), {{"x", x}})["y"],
               doubles({4}, {0, 1, 1, 0}), 0));
}

TEST_CASE("a place that a true condition reads has to exist", "[places]") {
    const array x = of_four();
    CHECK_THAT(refusal("y^i = x^i + [i < 4] x^{i+1}", {{"x", x}}),
               Contains("the place 4 is read where i = 3"));
    CHECK_THAT(refusal("y^i = x^i + [i \\ge 1] x^{i+1}", {{"x", x}}),
               Contains("the axis has the places 0 to 3"));
    CHECK_THAT(refusal("y^i = [i \\ge 1] (x^i - x^{i-2})", {{"x", x}}),
               Contains("the place -1 is read where i = 1"));
    CHECK_THAT(refusal("y^i = x^i + [i \\bmod 2 = 1] x^{i+1}", {{"x", x}}),
               Contains("the place 4 is read where i = 3"));
    CHECK_THAT(refusal("y^i = x^i + \\begin{cases} x^{i+1} & \\text{if } i < 2 \\\\ x^{i+2} & "
                       "\\text{otherwise} \\end{cases}",
                       {{"x", x}}),
               Contains("the place 4 is read where i = 2"));
    // the value of a tensor is no condition on positions
    CHECK_THAT(refusal("y^i = x^i + [x^i > 5] x^{i+1}", {{"x", x}}),
               Contains("is read where i = 3"));
    // a number that is 0 is no bracket
    CHECK_THAT(refusal("y^i = x^i + [x^i > 0] (3 - i) x^{i+1}", {{"x", x}}),
               Contains("is read where i = 3"));
}

TEST_CASE("inequalities decide about places, however many there are", "[places]") {
    const std::size_t n = 4096;
    const array all = doubles({2 * n}, std::vector<double>(2 * n, 1)),
                most = doubles({2 * n - 1}, std::vector<double>(2 * n - 1, 1)),
                half = doubles({n}, std::vector<double>(n, 1));
    const processor_time took;
    // without a number an axis is as long as its places reach
    for (const auto& [equation, x] : std::vector<std::pair<const char*, const array&>>{
             {"y^{ij} = [i + j \\ge 3] x^{i+j-3}", all},
             {"y^{ij} = [i \\ge j] x^{i-j}", half},
             {"y^{ijk} = [i + j \\ge k] x^{i+j-k}", most},
             {"y^{ijk} = [i \\ge j \\land j \\ge k] x^{i-k}", half},
             {"y^{ij} = [|i - j| \\le 2 \\land i \\ge 2] x^{i-2}", all}}) {
        std::vector<named> operands{{"x", x}, {"i", extent(n)}, {"j", extent(n)}};
        if (std::string(equation).find("k}") != std::string::npos)
            operands.push_back({"k", extent(2)});
        explain(text(equation), operands);
    }
    // the sixteen million places of a plane take ten times as long
    CHECK(took.seconds() < 5);
}

TEST_CASE("an edge is the axis's, whatever extent its letter is given", "[places]") {
    const array b = of_four();
    const std::vector<named> two{{"B", b}, {"j", extent(2)}};
    CHECK(near(run(text("P^j = B^{\\operatorname{clamp}(j+2)}"), two)["P"], doubles({2}, {2, 0.75}),
               0));
    CHECK(near(run(text("P^j = B^{\\operatorname{wrap}(j+2)}"), two)["P"], doubles({2}, {2, 0.75}),
               0));
    CHECK(near(run(text("P^j = B^{\\operatorname{pad}(j+2)}"), two)["P"], doubles({2}, {2, 0.75}),
               0));
    const std::vector<named> six{{"B", b}, {"j", extent(6)}};
    CHECK(near(run(text("P^j = B^{\\operatorname{clamp}(j)}"), six)["P"],
               doubles({6}, {0.5, -1.25, 2, 0.75, 0.75, 0.75}), 0));
    CHECK(near(run(text("P^j = B^{\\operatorname{wrap}(j)}"), six)["P"],
               doubles({6}, {0.5, -1.25, 2, 0.75, 0.5, -1.25}), 0));
    CHECK(near(run(text("P^j = B^{\\operatorname{pad}(j)}"), six)["P"],
               doubles({6}, {0.5, -1.25, 2, 0.75, 0, 0}), 0));
}

// A derivative has a condition between neighbouring axes of one index, not between every two.
TEST_CASE("a tensor of many axes that stand at one index is derived at once", "[places]") {
    const std::string many(80, 'a');
    const processor_time took;
    const program p = text("y^i = K^{(3-a)" + many + "1}{}^{ij} x^j");
    gradient(p, "y", {"K"});
    CHECK(took.seconds() < 5);
}

TEST_CASE("an index that stands at edges alone is given, in gradients too", "[places]") {
    const program p = text("y^{k} = \\sum_j b^{\\operatorname{clamp}(3j-2), k}");
    const array b = drawn({4, 6}, 1);
    const std::vector<named> two{{"j", extent(2)}};
    auto all = two;
    all.push_back({"b", b});
    all.push_back({"dL/dy", doubles({6}, {1, 1, 1, 1, 1, 1})});
    CHECK(near(run(gradient(p, "y", {"b"}), all)["dL/db"], differences(p, two, "y", "b", b), 1e-7));

    const program q = text(
        "y^{kl} = \\sum_{i,j} a^{kl} b^{\\operatorname{clamp}(3j-2), k} + "
        "\\sum_j \\sum_i b^{u_{lj}, \\operatorname{clamp}(j+k+3)}");
    const array a = drawn({6, 4}, 2);
    const array u = doubles({4, 2}, {0, 1, 2, 3, 3, 2, 1, 0});
    const std::vector<named> others{{"b", b}, {"u", u}, {"i", extent(6)}, {"j", extent(2)}};
    all = others;
    all.push_back({"a", a});
    all.push_back({"dL/dy", doubles({6, 4}, std::vector<double>(24, 1))});
    CHECK(near(run(gradient(q, "y", {"a"}), all)["dL/da"], differences(q, others, "y", "a", a),
               1e-7));
}

TEST_CASE("an edge keeps its axis where a derivative names indices anew", "[places]") {
    // The third axis of B, 4 long, is one of i in both terms; beside the first of B, i is l''.
    const program p = text(
        "P^{il} = \\sum_k (A^{ki} B^{\\operatorname{clamp}(2l+2),k,\\operatorname{wrap}(2-2i),l}) "
        "+ "
        "B^{\\operatorname{wrap}(l-2i-1),\\operatorname{clamp}(-2l-3),i,l}");
    const array a = drawn({5, 4}, 1), b = drawn({2, 5, 4, 2}, 2);
    const std::vector<named> others{{"A", a}};
    auto all = others;
    all.push_back({"B", b});
    all.push_back({"dL/dP", doubles({4, 2}, std::vector<double>(8, 1))});
    CHECK(near(run(gradient(p, "P", {"B"}), all)["dL/dB"], differences(p, others, "P", "B", b),
               1e-7));
}

TEST_CASE("derived equations can be read again", "[places]") {
    const program p = text(
        "P = \\max_{l,i} ([2i < 3] G^{i,l} H^{\\operatorname{wrap}(i-l), "
        "\\operatorname{wrap}(l+3i)})");
    const program slopes = gradient(p, "P", {"G"});
    const std::string equations = to_latex(slopes);
    INFO(equations);
    CHECK(parse(equations).has_value());
}

TEST_CASE("who is the least of sums with lookups is asked of the same numbers", "[places]") {
    // Both m give the same: each has half of the derivative.
    const program p = text(
        "y^k = \\min_m (\\sum_l [l \\le k + 2] \\exp(x^{kl}) z^{t_m \\operatorname{wrap}(3k+1)})");
    const array x = drawn({9, 7}, 1), z = doubles({3, 4}, {5, 7, 6, 3, 2, 2, 2, 2, 2, 2, 2, 2});
    const array seeds = doubles({9}, std::vector<double>(9, 1));
    const arrays slopes = run(gradient(p, "y", {"x", "z"}),
                              {{"x", x}, {"z", z}, {"t", doubles({2}, {1, 2})}, {"dL/dy", seeds}});
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 7; ++l) {
            const std::size_t at = std::size_t(k * 7 + l);
            const double wanted = l <= k + 2 ? 2 * std::exp(entry(x, at)) : 0;
            CHECK(std::abs(entry(slopes["dL/dx"], at) - wanted) <= 1e-12 * wanted);
        }
    for (int place = 0; place < 4; ++place)
        CHECK(entry(slopes["dL/dz"], std::size_t(4 + place)) ==
              entry(slopes["dL/dz"], std::size_t(8 + place)));
}

TEST_CASE("what lies wholly beyond an axis is nothing, whatever it is divided by", "[places]") {
    const program p = text(
        "P^{kl} = \\tanh(\\sum_j \\max_i (A^{i, s_j, l} B^{\\operatorname{wrap}(k+2i-3), k+j}))");
    const std::size_t columns = 11;
    array s(element::i32, {4});
    for (std::size_t j = 0; j < 4; ++j) static_cast<int*>(s.data())[j] = static_cast<int>(j);
    const array B = drawn({7, columns}, 2);
    const std::vector<named> others{{"A", drawn({3, 5, 6}, 1)}, {"s", s}, {"k", extent(7)}};
    auto all = others;
    all.push_back({"B", B});
    all.push_back({"dL/dP", doubles({7, 6}, std::vector<double>(42, 1))});
    const array got = run(gradient(p, "P", {"A", "B"}), all)["dL/dB"];
    for (std::size_t row = 0; row < 7; ++row) CHECK(entry(got, row * columns + 10) == 0);
    CHECK(near(got, differences(p, others, "P", "B", B), 1e-7));
}

TEST_CASE("an index whose places go backwards keeps its length in gradients", "[places]") {
    const program p = text(
        "P^i = \\sum_{l \\le i} A^{i, \\operatorname{clamp}(l-3), 8-2i, \\operatorname{pad}(1-l)} "
        "B^l A^{\\operatorname{wrap}(i+3l+3), l, 2i+0, \\operatorname{pad}(l)}");
    const array A = drawn({4, 6, 9, 6}, 1);
    const std::vector<named> others{{"B", drawn({6}, 2)}, {"i", extent(4)}, {"l", extent(6)}};
    auto all = others;
    all.push_back({"A", A});
    all.push_back({"dL/dP", doubles({4}, {1, 1, 1, 1})});
    CHECK(near(run(gradient(p, "P", {"A", "B"}), all)["dL/dA"], differences(p, others, "P", "A", A),
               1e-7));
}

TEST_CASE("a number in front of a sum whose places are cut counts for all of its parts",
          "[places]") {
    const array A = drawn({28}, 1), B = drawn({5, 1}, 2);
    double sum = 0, rows = 0;
    for (const double x : values_of(A)) sum += x;
    for (const double x : values_of(B)) rows += x;
    const array got = run(text("P^l = 2 \\sum_{i,m} A^i B^{m, \\operatorname{clamp}(i-l-3)}"),
                          {{"A", A}, {"B", B}, {"l", extent(2)}})["P"];
    for (const double x : values_of(got)) CHECK(std::abs(x - 2 * sum * rows) < 1e-12);
}

TEST_CASE("what a call gives a letter does not reach the axes that derived equations count",
          "[places]") {
    const array c = drawn({4, 2}, 1), seed = drawn({2}, 2);
    for (const char* equation :
         {"P^{i} = \\exp(C^{\\operatorname{wrap}(i+1), i}) "
          "C^{\\operatorname{clamp}(3i-3), \\operatorname{clamp}(i-2)}",
          "P^{i} = \\sin(C^{\\operatorname{wrap}(i-1), i}) C^{\\operatorname{clamp}(2i-1), i}",
          "P^{i} = C^{\\operatorname{clamp}(3-2i), i}^2",
          "P^{j} = \\sum_i C^{\\operatorname{wrap}(i+j), i}^2 C^{\\operatorname{clamp}(i+j-2), "
          "j}"}) {
        INFO(equation);
        const program p = text(equation);
        const program e =
            text(std::string(equation) + (equation[3] == 'i' ? "\nE = P^i g^i" : "\nE = P^j g^j"));
        const array want = differences(e, {{"g", seed}}, "E", "C", c);
        const program g = gradient(p, "P", {"C"});
        for (const program& q : {g, text(to_latex(g))})
            for (const bool given : {false, true}) {
                std::vector<named> operands{{"C", c}, {"dL/dP", seed}};
                if (given) operands.push_back({"i", extent(2)});
                CHECK(near(run(q, operands)["dL/dC"], want, 1e-8));
            }
    }
}
