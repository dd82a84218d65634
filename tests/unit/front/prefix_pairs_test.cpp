// Sums over pairs of places under an inequality, as of linear attention, whose pairs are written in
// one equation or in several, with bounds that are shifted and loops of two lengths: beside loops
// over all pairs, and what the plan goes over.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// O^{ic} = the sum over pairs of Q^{ia} K^{ja} V^{jc}, with a condition at %.
const std::vector<std::string> forms{
    "O^{ic} = \\sum_j [%] Q^{ia} K^{ja} V^{jc}",
    "S^{ij} = [%] Q^{ia} K^{ja}\nO^{ic} = S^{ij} V^{jc}",
    "S^{ij} = Q^{ia} K^{ja}\nO^{ic} = \\sum_j [%] S^{ij} V^{jc}",
    "S^{ij} = \\begin{cases} Q^{ia} K^{ja} & \\text{if } % \\\\ 0 & \\text{otherwise} "
    "\\end{cases}\nO^{ic} = S^{ij} V^{jc}",
    "S^{ij} = Q^{ia} K^{ja}\nT^{ij} = \\frac{1}{2} [%] S^{ij}\nO^{ic} = 2 T^{ij} V^{jc}",
};

struct pair_condition {
    const char* text;
    bool (*holds)(long i, long j);
};

const std::vector<pair_condition> conditions{
    {"j \\le i", [](long i, long j) { return j <= i; }},
    {"j < i", [](long i, long j) { return j < i; }},
    {"j \\le i + 1", [](long i, long j) { return j <= i + 1; }},
    {"j \\le i - 2", [](long i, long j) { return j <= i - 2; }},
    {"j \\ge i", [](long i, long j) { return j >= i; }},
    {"j > i", [](long i, long j) { return j > i; }},
    {"j \\ge i + 3", [](long i, long j) { return j >= i + 3; }},
    {"i - 70 \\le j", [](long i, long j) { return i - 70 <= j; }},
    {"j < i + 200", [](long i, long j) { return j < i + 200; }},
};

struct lengths {
    std::size_t i, j;
};
const std::vector<lengths> shapes{{256, 256}, {300, 300}, {389, 290}, {290, 389}};
const std::size_t a = 4, c = 3;

std::string with_condition(std::string equations, const std::string& condition) {
    for (std::size_t at = 0; (at = equations.find('%', at)) != std::string::npos;)
        equations.replace(at, 1, condition);
    return equations;
}

/// The sum and its derivatives by all three, where that of the sum is `slope`.
struct sums_of_pairs {
    array O, Q, K, V;
};
sums_of_pairs by_loops(const array& Q, const array& K, const array& V, const array& slope,
                       const lengths& n, const pair_condition& condition) {
    std::vector<long double> o(n.i * c), q(n.i * a), k(n.j * a), v(n.j * c);
    for (std::size_t i = 0; i < n.i; ++i)
        for (std::size_t j = 0; j < n.j; ++j) {
            if (!condition.holds(static_cast<long>(i), static_cast<long>(j))) continue;
            long double score = 0, slope_of_score = 0;
            for (std::size_t x = 0; x < a; ++x)
                score += static_cast<long double>(entry(Q, i * a + x)) * entry(K, j * a + x);
            for (std::size_t y = 0; y < c; ++y) {
                o[i * c + y] += score * entry(V, j * c + y);
                v[j * c + y] += score * entry(slope, i * c + y);
                slope_of_score +=
                    static_cast<long double>(entry(slope, i * c + y)) * entry(V, j * c + y);
            }
            for (std::size_t x = 0; x < a; ++x) {
                q[i * a + x] += slope_of_score * entry(K, j * a + x);
                k[j * a + x] += slope_of_score * entry(Q, i * a + x);
            }
        }
    const auto rounded = [](const std::vector<long double>& x, std::size_t rows,
                            std::size_t width) {
        return doubles({rows, width}, std::vector<double>(x.begin(), x.end()));
    };
    return {rounded(o, n.i, c), rounded(q, n.i, a), rounded(k, n.j, a), rounded(v, n.j, c)};
}

bool goes_by_blocks(const std::string& explanation) {
    return explanation.find(" each j") != std::string::npos;
}

}  // namespace

TEST_CASE("sums over pairs carry a state, whatever their bounds, lengths and equations",
          "[prefixes]") {
    for (const auto& n : shapes)
        for (std::size_t k = 0; k < conditions.size(); ++k) {
            const auto& condition = conditions[k];
            const array Q = drawn({n.i, a}, 1), K = drawn({n.j, a}, 2), V = drawn({n.j, c}, 3),
                        slope = drawn({n.i, c}, 4);
            const auto wanted = by_loops(Q, K, V, slope, n, condition);
            for (std::size_t f = 0; f < forms.size(); ++f) {
                if (n.i != 389 && (f + k) % 3 != 0) continue;
                const std::string equations = with_condition(forms[f], condition.text);
                INFO(equations << ", " << n.i << " x " << n.j);
                const program p = text(equations);
                std::vector<named> operands{{"Q", Q}, {"K", K}, {"V", V}};
                CHECK(near(run(p, operands)["O"], wanted.O, 1e-11));
                CHECK(goes_by_blocks(explain(p, operands)));
                const auto slopes = gradient(p, "O", {"Q", "K", "V"});
                operands.push_back({"dL/dO", slope});
                const arrays got = run(slopes, operands);
                CHECK(near(got["dL/dQ"], wanted.Q, 1e-11));
                CHECK(near(got["dL/dK"], wanted.K, 1e-11));
                CHECK(near(got["dL/dV"], wanted.V, 1e-11));
            }
        }
}

TEST_CASE("what is read elsewhere, too, is stored", "[prefixes]") {
    const std::size_t n = 300;
    const std::string pairs = "S^{ij} = [j \\le i] Q^{ia} K^{ja}\nO^{ic} = S^{ij} V^{jc}\n";
    const std::vector<named> operands{
        {"Q", drawn({n, a}, 1)}, {"K", drawn({n, a}, 2)}, {"V", drawn({n, c}, 3)}};
    const arrays alone = run(text(pairs), operands);
    for (const char* other : {"R^{i} = \\max_j S^{ij}", "S^{ij}", "R^{ij} = S^{ij} S^{ji}"}) {
        INFO(other);
        const program p = text(pairs + other);
        CHECK(near(run(p, operands)["O"], alone["O"], 1e-11));
        CHECK(!goes_by_blocks(explain(p, operands)));
    }
}

TEST_CASE("weights that are divided by their sum go by blocks", "[prefixes]") {
    const std::size_t n = 400;
    const program p = text(
        "S^{ij} = [j \\le i] \\exp(Q^{ia}) \\exp(K^{ja})\n"
        "A^{ij} = \\frac{S^{ij}}{\\sum_{j'} S^{ij'}}\n"
        "O^{ic} = A^{ij} V^{jc}");
    const array Q = drawn({n, a}, 1), K = drawn({n, a}, 2), V = drawn({n, c}, 3);
    const std::vector<named> operands{{"Q", Q}, {"K", K}, {"V", V}};
    const array got = run(p, operands)["O"];
    CHECK(explain(p, operands).find("j=400") == std::string::npos);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t y = 0; y < c; ++y) {
            long double sum = 0, all = 0;
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t x = 0; x < a; ++x) {
                    const long double w = std::exp(
                        static_cast<long double>(entry(Q, i * a + x) + entry(K, j * a + x)));
                    all += w;
                    sum += w * entry(V, j * c + y);
                }
            CHECK(std::abs(static_cast<double>(sum / all) - entry(got, i * c + y)) < 1e-12);
        }
}

TEST_CASE("a condition in front of weights is a mask of theirs, and no tensor", "[prefixes]") {
    const std::size_t heads = 2, n = 200;
    const program p = text(
        "S^{hij} = Q^{hia} K^{hja}\n"
        "A^{hij} = \\operatorname{softmax}_j \\begin{cases} S^{hij} & \\text{if } j \\le i \\\\ "
        "-\\infty & \\text{otherwise} \\end{cases}\n"
        "O^{hic} = \\sum_{j \\le i} A^{hij} V^{hjc}");
    const array Q = drawn({heads, n, a}, 1);
    std::vector<named> others{{"K", drawn({heads, n, a}, 2)}, {"V", drawn({heads, n, c}, 3)}};
    auto all = others;
    all.push_back({"Q", Q});
    all.push_back({"dL/dO", doubles({heads, n, c}, std::vector<double>(heads * n * c, 1))});
    const program slopes = gradient(p, "O", {"Q", "K", "V"});
    CHECK(explain(slopes, all).find("batch h=2  rows i=200  columns j=200") != std::string::npos);
    const array at = drawn({1, 30, a}, 1);
    others = {{"K", drawn({1, 30, a}, 2)}, {"V", drawn({1, 30, c}, 3)}};
    all = others;
    all.push_back({"Q", at});
    all.push_back({"dL/dO", doubles({1, 30, c}, std::vector<double>(30 * c, 1))});
    CHECK(near(run(slopes, all)["dL/dQ"], differences(p, others, "O", "Q", at), 1e-7));
}

TEST_CASE("no row of blocks sees what its condition leaves out", "[prefixes]") {
    const std::size_t n = 300;
    array V = drawn({n, c}, 3);
    for (std::size_t y = 0; y < c; ++y) entry(V, 250 * c + y) = std::nan("");
    const std::vector<named> operands{{"Q", drawn({n, a}, 1)}, {"K", drawn({n, a}, 2)}, {"V", V}};
    // Where the bracket stands in an equation of its own, its 0 is a number.
    for (const auto& form : {forms[0], forms[2]}) {
        INFO(form);
        const array got = run(text(with_condition(form, "j \\le i - 2")), operands)["O"];
        for (std::size_t i = 0; i < n; ++i) CHECK(std::isnan(entry(got, i * c)) == (i >= 252));
    }
}
