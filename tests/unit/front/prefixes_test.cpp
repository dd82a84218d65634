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
