// Functions over an index under a condition, beside loops: the letters have axes of unlike extents,
// and what a condition leaves is counted on the axis that the function runs over.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::literals;
using namespace ricci::testing;

namespace {

using real = long double;
using numbers = std::vector<real>;

struct condition_of_two {
    const char* text;
    bool (*holds)(std::size_t i, std::size_t j);
};
const std::vector<condition_of_two> conditions{
    {"j \\le i", [](std::size_t i, std::size_t j) { return j <= i; }},
    {"j : j \\ne i", [](std::size_t i, std::size_t j) { return j != i; }},
    {"j : j \\le i \\lor j = 0", [](std::size_t i, std::size_t j) { return j <= i || j == 0; }},
};

real sum(const numbers& x) {
    real all = 0;
    for (const real v : x) all += v;
    return all;
}
struct function_of_many {
    const char* text;
    real (*of)(const numbers& x);
};
const std::vector<function_of_many> functions{
    {"\\sum", sum},
    {"\\operatorname{mean}", [](const numbers& x) { return sum(x) / static_cast<real>(x.size()); }},
    {"\\max",
     [](const numbers& x) {
         real most = -std::numeric_limits<real>::infinity();
         for (const real v : x) most = std::max(most, v);
         return most;
     }},
    {"\\min",
     [](const numbers& x) {
         real least = std::numeric_limits<real>::infinity();
         for (const real v : x) least = std::min(least, v);
         return least;
     }},
    {"\\operatorname{logsumexp}",
     [](const numbers& x) {
         real all = 0;
         for (const real v : x) all += std::exp(v);
         return std::log(all);
     }},
    {"\\prod",
     [](const numbers& x) {
         real all = 1;
         for (const real v : x) all *= v;
         return all;
     }},
};

/// b^i times the function of what the condition leaves of x.
array by_loops(const function_of_many& f, const condition_of_two& c, const array& x,
               const array& b) {
    array y(element::f64, {b.size()});
    for (std::size_t i = 0; i < b.size(); ++i) {
        numbers left;
        for (std::size_t j = 0; j < x.size(); ++j)
            if (c.holds(i, j)) left.push_back(entry(x, j));
        entry(y, i) = static_cast<double>(entry(b, i) * f.of(left));
    }
    return y;
}
double sum_of(const array& a) {
    double all = 0;
    for (const double v : values_of(a)) all += v;
    return all;
}
array ones(std::size_t n) { return doubles({n}, std::vector<double>(n, 1)); }

/// Gradients and tangents of y by x and by b, as printed and read again, too.
void check_derivatives(const program& p, const array& x, const array& b) {
    const std::vector<named> operands{{"x", x}, {"b", b}};
    for (const bool by_x : {true, false}) {
        const std::string by = by_x ? "x" : "b";
        const array& at = by_x ? x : b;
        const array want = differences(p, {operands[by_x ? 1 : 0]}, "y", by.c_str(), at);
        const program slopes = gradient(p, "y", {by});
        auto seeded = operands;
        seeded.push_back({"dL/dy", ones(b.size())});
        for (const program& g : {slopes, text(to_latex(slopes))}) {
            INFO(to_latex(g));
            std::vector<named> given;
            for (const named& o : seeded)
                for (const tensor_info& t : g.inputs())
                    if (t.name == o.name) given.push_back(o);
            CHECK(near(run(g, given)["dL/d" + by], want, 1e-6));
        }
        auto moved = operands;
        moved.push_back({"d/dt " + by, ones(at.size())});
        const program forward = tangent(p, {by});
        INFO(to_latex(forward));
        std::vector<named> given;
        for (const named& o : moved)
            for (const tensor_info& t : forward.inputs())
                if (t.name == o.name) given.push_back(o);
        CHECK(std::abs(sum_of(run(forward, given)["d/dt y"]) - sum_of(want)) < 1e-6);
    }
}

}  // namespace

TEST_CASE("functions under conditions run over their own axis", "[conditions]") {
    for (const auto& f : functions)
        for (const auto& c : conditions)
            for (const std::size_t m : {2u, 3u, 5u})
                for (const std::size_t n : {2u, 3u, 4u}) {
                    const program p =
                        text("y^i = b^i " + std::string(f.text) + "_{" + c.text + "} x^j");
                    INFO(to_latex(p) << "\nextents " << n << " of i, " << m << " of j");
                    const array x = drawn({m}, 1), b = drawn({n}, 2);
                    CHECK(near(run(p, {{"x", x}, {"b", b}})["y"], by_loops(f, c, x, b), 1e-12));
                    check_derivatives(p, x, b);
                }
}

TEST_CASE("two means over one letter count each its own axis", "[conditions]") {
    const program p =
        text("y^i = \\operatorname{mean}_{j \\le i}(x^j) + \\operatorname{mean}_{j \\le i}(z^j)");
    const array x = drawn({2}, 3), z = drawn({4}, 4);
    const std::vector<named> operands{{"x", x}, {"z", z}, {"i", extent(5)}};
    const array y = run(p, operands)["y"], one = ones(5);
    const array first = by_loops(functions[1], conditions[0], x, one),
                second = by_loops(functions[1], conditions[0], z, one);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(std::abs(entry(y, i) - entry(first, i) - entry(second, i)) < 1e-12);
    const program slopes = gradient(p, "y", {"z"});
    INFO(to_latex(slopes));
    CHECK(near(run(slopes, {{"z", z}, {"dL/dy", one}})["dL/dz"],
               differences(p, {operands[0], operands[2]}, "y", "z", z), 1e-6));
}

TEST_CASE("weights under a condition are 0 outside, and so are their slopes", "[conditions]") {
    const program p = text("A^{ij} = \\operatorname{softmax}_{j \\le i}(S^{ij})\nO^i = A^{ij} v^j");
    const std::size_t n = 3, m = 5;
    const array s = drawn({n, m}, 5), v = drawn({m}, 6);
    const array a = run(p.keep({"A"}), {{"S", s}, {"v", v}})["A"];
    for (std::size_t i = 0; i < n; ++i) {
        real all = 0;
        for (std::size_t j = 0; j <= i; ++j)
            all += std::exp(static_cast<real>(entry(s, i * m + j)));
        for (std::size_t j = 0; j < m; ++j) {
            const real want = j <= i ? std::exp(static_cast<real>(entry(s, i * m + j))) / all : 0;
            CHECK(std::abs(entry(a, i * m + j) - static_cast<double>(want)) < 1e-12);
        }
    }
    const array slopes =
        run(gradient(p, "O", {"S"}), {{"S", s}, {"v", v}, {"dL/dO", ones(n)}})["dL/dS"];
    CHECK(near(slopes, differences(p, {{"v", v}}, "O", "S", s), 1e-7));
}

TEST_CASE("means under a condition that compilers read", "[conditions]") {
    constexpr auto means = R"(R = \operatorname{mean}_{q \ne j}(x_q) B^{j})"_eq;
    constexpr auto slopes = gradient(means, "R"_t, wrt("B"_t));
    tensor<double, 1> x({3}), b({2});
    x(0) = 1, x(1) = 2, x(2) = 4, b(0) = 3, b(1) = 5;
    CHECK(std::abs(means("x"_t = x, "B"_t = b)["R"_t]() - (3 * 3.0 + 5 * 2.5)) < 1e-12);
    const auto found = slopes("x"_t = x, "B"_t = b, "dL/dR"_t = 1.0)["dL/dB"_t];
    CHECK(std::abs(found(0) - 3.0) < 1e-12);
    CHECK(std::abs(found(1) - 2.5) < 1e-12);
}

TEST_CASE("means under a condition on numbers leave what it says", "[conditions]") {
    const array x = doubles({4}, {1, 2, 4, 8});
    const double first = entry(
                     run(text("y = \\operatorname{mean}_{a : a \\le 0}(x^a)"), {{"x", x}})["y"], 0),
                 two = entry(
                     run(text("y = \\operatorname{mean}_{a : a \\le 1}(x^a)"), {{"x", x}})["y"], 0);
    CHECK(first == 1);
    CHECK(two == 1.5);
    CHECK_THROWS_WITH(run(text("y = \\operatorname{mean}_{a : a \\ge 4}(x^a)"), {{"x", x}}),
                      Contains("leaves no place"));
}

// One of the two sums is over all of D's places that the condition leaves, whatever the other is
// over: derived programs have two symbols for what the text calls j twice.
TEST_CASE("two sums over one letter have two extents in derived programs", "[conditions]") {
    const program p = text(
        "y = n + \\sum_{l} \\operatorname{logsumexp}_{j}(\\begin{cases} D^{l+j} & \\text{if } j "
        "\\le 1 \\\\ 0.25 & \\text{otherwise} \\end{cases}) \\operatorname{mean}_{j}(b^{jl})");
    const std::vector<named> operands{{"n", one()}, {"D", drawn({4}, 7)}, {"b", drawn({3, 2}, 8)}};
    const program both = value_and_gradient(p, "y", {"n"});
    INFO(to_latex(both));
    const double want = entry(run(p, operands)["y"], 0);
    auto seeded = operands;
    seeded.push_back({"dL/dy", one()});
    CHECK(std::abs(entry(run(both, seeded)["y"], 0) - want) < 1e-12);
}
