// Folds up to an index and over windows beside it: what they are, and that nobody goes over all
// pairs of places for them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

double added(double x, double y) { return x + y; }
double multiplied(double x, double y) { return x * y; }
double larger(double x, double y) { return std::max(x, y); }
double smaller(double x, double y) { return std::min(x, y); }
double log_added(double x, double y) {
    const double most = std::max(x, y);
    return most == -infinity ? most : most + std::log(std::exp(x - most) + std::exp(y - most));
}

struct folded_case {
    const char* text;  // of y^{bi}, of x^{bj}
    double (*join)(double, double);
    double start;
    bool (*among)(int i, int j);
    const char* way;
};

const std::vector<folded_case> cases{
    {"\\prod_{j \\le i} x^{bj}", multiplied, 1, [](int i, int j) { return j <= i; }, "scan"},
    {"\\prod_{j > i} x^{bj}", multiplied, 1, [](int i, int j) { return j > i; }, "scan"},
    {"\\max_j \\begin{cases} x^{bj} & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise} "
     "\\end{cases}",
     larger, -infinity, [](int i, int j) { return j <= i; }, "scan"},
    {"\\min_j \\begin{cases} x^{bj} & \\text{if } j \\ge i \\\\ \\infty & \\text{otherwise} "
     "\\end{cases}",
     smaller, infinity, [](int i, int j) { return j >= i; }, "scan"},
    {"\\operatorname{logsumexp}_j \\begin{cases} x^{bj} & \\text{if } j < i + 1 \\\\ -\\infty & "
     "\\text{otherwise} \\end{cases}",
     log_added, -infinity, [](int i, int j) { return j <= i; }, "scan"},
    {"\\sum_{i - 4 < j \\le i} x^{bj}", added, 0, [](int i, int j) { return i - 4 < j && j <= i; },
     "map"},
    {"\\sum_j [i - 4 < j] [j \\le i + 2] x^{bj}", added, 0,
     [](int i, int j) { return i - 4 < j && j <= i + 2; }, "map"},
    {"\\sum_j [|i - j| \\le 2] x^{bj}", added, 0, [](int i, int j) { return std::abs(i - j) <= 2; },
     "map"},
    {"\\sum_j [|j - 2 i + 3| < 2] x^{bj}", added, 0,
     [](int i, int j) { return std::abs(j - 2 * i + 3) < 2; }, "map"},
};

}  // namespace

TEST_CASE("folds up to an index, and over windows", "[prefixes]") {
    const int rows = 3, n = 40;
    const array x = drawn({rows, n}, 4);
    for (const auto& c : cases) {
        INFO(c.text);
        const program p = text(std::string("y^{bi} = ") + c.text);
        const std::vector<named> operands{{"x", x}, {"i", extent(n)}};
        const array y = run(p, operands)["y"];
        REQUIRE(y.size() == std::size_t{rows * n});
        for (int b = 0; b < rows; ++b)
            for (int i = 0; i < n; ++i) {
                double folded = c.start;
                for (int j = 0; j < n; ++j)
                    if (c.among(i, j)) folded = c.join(folded, entry(x, std::size_t(b * n + j)));
                const double got = entry(y, std::size_t(b * n + i));
                CHECK((got == folded || std::abs(got - folded) <= 1e-12));
            }
        const std::string words = explain(p, operands);
        CHECK(words.find(c.way) != std::string::npos);
        CHECK(words.find("over j=40") == std::string::npos);
    }
}

TEST_CASE("a window has gradients", "[prefixes]") {
    const program p = text("y^{bi} = \\sum_{i - 4 < j \\le i} x^{bj} w^{bj}");
    const array x = drawn({2, 20}, 1), w = drawn({2, 20}, 2);
    const std::vector<named> others{{"w", w}, {"i", extent(20)}};
    auto all = others;
    all.push_back({"x", x});
    all.push_back({"dL/dy", doubles({2, 20}, std::vector<double>(40, 1))});
    CHECK(near(run(gradient(p, "y", {"x"}), all)["dL/dx"], differences(p, others, "y", "x", x),
               1e-7));
}

namespace {

/// A sum up to an index, under products that have it, and the same with a mask that is given.
struct masked_case {
    const char* text;    // with a condition at %
    const char* output;  // of it
    const char* way;     // some steps of it
};

const std::vector<masked_case> masked_cases{
    {"O^{hic} = \\sum_j [%] Q^{hia} K^{hja} V^{hjc}", "O", " each j"},
    {"O^{hic} = \\frac{1}{2} \\sum_j [%] Q^{hia} K^{hja} V^{hjc} + \\sum_a Q^{hia} V^{hic}", "O",
     " each j"},
    {"O^{hic} = \\frac{\\sum_{j,a} [%] \\exp(Q^{hia}) \\exp(K^{hja}) V^{hjc}}{\\sum_{j,b} [%] "
     "\\exp(Q^{hib}) "
     "\\exp(K^{hjb}) + 1}",
     "O", " each j"},
    {"O^{hi} = \\sum_j [%] Q^{hia} K^{hja}", "O", " each j"},
    {"O^{hia} = \\sum_j [%] Q^{hia} K^{hja}", "O", " each j"},
};

std::string with_condition(std::string equation, const std::string& condition) {
    for (std::size_t at = 0; (at = equation.find('%', at)) != std::string::npos;)
        equation.replace(at, 1, condition);
    return equation;
}

struct compared_places {
    const char* text;
    bool (*holds)(int i, int j);
};

const std::vector<compared_places> comparisons{
    {"j \\le i", [](int i, int j) { return j <= i; }},
    {"j < i", [](int i, int j) { return j < i; }},
    {"j \\ge i", [](int i, int j) { return j >= i; }},
    {"i < j", [](int i, int j) { return j > i; }},
    {"j \\le i + 1", [](int i, int j) { return j <= i + 1; }},
};

}  // namespace

TEST_CASE("sums up to an index under products carry a state", "[prefixes]") {
    const std::size_t heads = 2, a = 5, c = 3;
    for (const std::size_t n : {std::size_t{256}, std::size_t{257}, std::size_t{300}})
        for (const auto& m : masked_cases)
            for (const auto& condition : comparisons) {
                if (n != 300 && condition.text != comparisons[n % 2].text &&
                    condition.text != comparisons[3].text)
                    continue;
                const program p = text(with_condition(m.text, condition.text)),
                              dense = text(with_condition(m.text, "M^{ij} = 1"));
                INFO(with_condition(m.text, condition.text) << ", " << n);
                array mask(element::f64, {n, n});
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        entry(mask, i * n + j) =
                            condition.holds(static_cast<int>(i), static_cast<int>(j)) ? 1 : 0;
                std::vector<named> operands{{"Q", drawn({heads, n, a}, 1)},
                                            {"K", drawn({heads, n, a}, 2)}};
                std::vector<std::string> inputs{"Q", "K"}, slopes_of{"dL/dQ", "dL/dK"};
                if (std::string(m.text).find('V') != std::string::npos) {
                    operands.push_back({"V", drawn({heads, n, c}, 3)});
                    inputs.push_back("V");
                    slopes_of.push_back("dL/dV");
                }
                auto masked = operands;
                masked.push_back({"M", mask});
                const arrays got = run(p, operands), wanted = run(dense, masked);
                CHECK(near(got[m.output], wanted[m.output], 1e-9));
                if (condition.text != comparisons[4].text)
                    CHECK(explain(p, operands).find(m.way) != std::string::npos);
                const auto slopes = gradient(p, m.output, inputs),
                           dense_slopes = gradient(dense, m.output, inputs);
                const auto extents = got[m.output].extents();
                const array seed = drawn({extents.begin(), extents.end()}, 4);
                operands.push_back({"dL/dO", seed});
                masked.push_back({"dL/dO", seed});
                const arrays got_slopes = run(slopes, operands),
                             wanted_slopes = run(dense_slopes, masked);
                for (const auto& name : slopes_of)
                    CHECK(near(got_slopes[name], wanted_slopes[name], 1e-9));
            }
}

TEST_CASE("what no place is summed for is 0, whatever stands beside it", "[prefixes]") {
    const std::size_t n = 40;
    array f = drawn({n}, 1);
    const array x = drawn({n}, 2);
    entry(f, 0) = entry(f, n - 1) = std::numeric_limits<double>::infinity();
    const arrays got = run(text("y^{i} = \\sum_{j < i} f^{i} x^{j}\n"
                                "z^{i} = \\sum_{j > i} f^{i} x^{j}\n"
                                "w^{i} = \\sum_{j \\le i} f^{i} x^{j}"),
                           {{"f", f}, {"x", x}});
    double up_to = 0, from = 0;
    for (std::size_t i = 0; i < n; ++i) from += entry(x, i);
    for (std::size_t i = 0; i < n; ++i) {
        INFO("place " << i);
        from -= entry(x, i);
        const double before = up_to, after = i + 1 < n ? from : 0;
        up_to += entry(x, i);
        const bool ends = i == 0 || i + 1 == n;
        CHECK((i == 0 ? entry(got["y"], i) == 0
                      : ends || std::abs(entry(got["y"], i) - entry(f, i) * before) < 1e-12));
        CHECK((i + 1 == n ? entry(got["z"], i) == 0
                          : ends || std::abs(entry(got["z"], i) - entry(f, i) * after) < 1e-12));
        CHECK((ends ? std::isinf(entry(got["w"], i))
                    : std::abs(entry(got["w"], i) - entry(f, i) * up_to) < 1e-12));
    }
}

TEST_CASE("sums up to an index within one another are scans", "[prefixes]") {
    const std::size_t n = 40;
    const array x = drawn({n}, 1), y = drawn({n}, 2), z = drawn({n}, 3);
    std::vector<double> zs(n, 0), ys(n, 0), expected(n, 0);  // over l < k, over k <= j, over j <= i
    for (std::size_t i = 0; i < n; ++i) {
        zs[i] = i > 0 ? zs[i - 1] + entry(z, i - 1) : 0;
        ys[i] = (i > 0 ? ys[i - 1] : 0) + entry(y, i) * zs[i];
        expected[i] = (i > 0 ? expected[i - 1] : 0) + entry(x, i) * ys[i];
    }
    const program p = text("c^i = \\sum_{j \\le i} x^j \\sum_{k \\le j} y^k \\sum_{l < k} z^l");
    const std::vector<named> operands{{"x", x}, {"y", y}, {"z", z}};
    const array got = run(p, operands)["c"];
    for (std::size_t i = 0; i < n; ++i) CHECK(entry(got, i) == Approx(expected[i]).margin(1e-12));
    CHECK(explain(p, operands).find("fused") == std::string::npos);
    // what is beyond an index is in no sum, whatever it is
    array last = z.clone();
    entry(last, n - 1) = infinity;
    const array same = run(p, {{"x", x}, {"y", y}, {"z", last}})["c"];
    for (std::size_t i = 0; i < n; ++i) CHECK(entry(same, i) == Approx(expected[i]).margin(1e-12));
}
