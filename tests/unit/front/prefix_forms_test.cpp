// Folds up to a place in whatever way they are written: under brackets, with weights of the
// distance, on two sides of a place, up to what a tensor says, along two axes. What they are, by
// plain loops, and that nobody goes over all pairs of places for them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const double no_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

/// Of y^i, the sum over j of what a pair is worth to it.
struct weighted_case {
    const char* text;
    std::function<long double(int i, int j)> weight;  // of x^j
};

long double power(long double base, int by) {
    long double product = 1;
    for (int k = 0; k < by; ++k) product *= base;
    return product;
}

const long double g = 0.9L, r = 0.07L;
const std::vector<weighted_case> weighted{
    {"\\sum_{j \\le i} (i - j) x^j", [](int i, int j) { return j <= i ? i - j : 0; }},
    {"\\sum_{j < i} (i - j) x^j", [](int i, int j) { return j <= i ? i - j : 0; }},
    {"\\sum_{j < i} (i - j + 2) x^j", [](int i, int j) { return j < i ? i - j + 2 : 0; }},
    {"\\sum_{j \\le i} (i - j)^2 x^j", [](int i, int j) { return j <= i ? power(i - j, 2) : 0; }},
    {"\\sum_{j \\le i} (3 - 2 (i - j)) (i - j) x^j",
     [](int i, int j) { return j <= i ? (3.0L - 2 * (i - j)) * (i - j) : 0; }},
    {"\\sum_{j > i} |i - j| x^j", [](int i, int j) { return j > i ? j - i : 0; }},
    {"\\sum_{j \\ge i} (i - j) x^j", [](int i, int j) { return j >= i ? i - j : 0; }},
    {"\\sum_{j \\le i} (g)^{i-j} x^j", [](int i, int j) { return j <= i ? power(g, i - j) : 0; }},
    {"\\sum_{j < i} (g)^{i-j-1} x^j", [](int i, int j) { return j < i ? power(g, i - j - 1) : 0; }},
    {"\\sum_{j \\ge i} (g)^{2 (j-i) + 1} x^j",
     [](int i, int j) { return j >= i ? power(g, 2 * (j - i) + 1) : 0; }},
    {"\\sum_{j \\le i} (i - j) (g)^{i-j} x^j",
     [](int i, int j) { return j <= i ? (i - j) * power(g, i - j) : 0; }},
    {"\\sum_{j < i} (i - j)^2 (g)^{i-j-1} x^j",
     [](int i, int j) { return j < i ? power(i - j, 2) * power(g, i - j - 1) : 0; }},
    {"\\sum_{j \\le i} \\exp(-(i - j) r) x^j",
     [](int i, int j) { return j <= i ? std::exp(-(i - j) * r) : 0; }},
    {"\\sum_{j > i} \\exp(-|i - j| r) (j - i) x^j",
     [](int i, int j) { return j > i ? std::exp(-(j - i) * r) * (j - i) : 0; }},
    {"\\sum_{j \\le i} \\exp(-(i - j) r) (g)^{i-j} x^j",
     [](int i, int j) { return j <= i ? std::exp(-(i - j) * r) * power(g, i - j) : 0; }},
    {"\\sum_{j \\ne i} x^j", [](int i, int j) { return j != i ? 1 : 0; }},
    {"\\sum_j [j < i \\lor j > i + 2] x^j",
     [](int i, int j) { return j < i || j > i + 2 ? 1 : 0; }},
    {"\\sum_j [j = i + 1 \\lor j = i - 1] x^j",
     [](int i, int j) { return j == i + 1 || j == i - 1 ? 1 : 0; }},
    {"\\sum_j [j = i + 1 \\lor j = i + 1] x^j", [](int i, int j) { return j == i + 1 ? 1 : 0; }},
    {"\\sum_j [j \\le t_i] x^j", [](int i, int j) { return j <= 7 * i - 40 ? 1 : 0; }},
    {"\\sum_j [j > t_i] x^j", [](int i, int j) { return j > 7 * i - 40 ? 1 : 0; }},
    {"\\sum_j [t_i < j + 3] x^j", [](int i, int j) { return 7 * i - 40 < j + 3 ? 1 : 0; }},
    {"\\sum_{j \\le i} [j \\bmod 3 = 1] x^j",
     [](int i, int j) { return j <= i && j % 3 == 1 ? 1 : 0; }},
    {"\\sum_j \\begin{cases} x^j & \\text{if } j \\le i \\\\ 0 & \\text{otherwise} \\end{cases}",
     [](int i, int j) { return j <= i ? 1 : 0; }},
    {"\\sum_j \\begin{cases} 0 & \\text{if } j > i \\\\ x^j & \\text{otherwise} \\end{cases}",
     [](int i, int j) { return j <= i ? 1 : 0; }},
    {"\\sum_j [\\lnot (j > i)] x^j", [](int i, int j) { return j <= i ? 1 : 0; }},
    {"\\sum_j [\\lnot (j > i \\lor j \\bmod 3 = 1)] x^j",
     [](int i, int j) { return j <= i && j % 3 != 1 ? 1 : 0; }},
    {"\\sum_j [\\lnot (j = i)] x^j", [](int i, int j) { return j != i ? 1 : 0; }},
};

/// Which x^j are folded for y^i, and for which i any are.
struct folded_condition {
    const char* text;
    std::function<bool(int i, int j)> holds;
};
const std::vector<folded_condition> folded_conditions{
    {"j \\le i \\land j \\bmod 3 = 1", [](int i, int j) { return j <= i && j % 3 == 1; }},
    {"j < i \\land x^j > 0", [](int i, int j) { return j < i && j % 2 == 0; }},
    {"j \\ge i \\land i > 3", [](int i, int j) { return j >= i && i > 3; }},
    {"\\lnot (j > i \\lor x^j \\le 0)", [](int i, int j) { return j <= i && j % 2 == 0; }},
    {"j \\ne i \\land x^j > 0", [](int i, int j) { return j != i && j % 2 == 0; }},
};

/// A fold, what of it is where nothing is folded, and how it takes up a number.
struct folded_case {
    const char *name, *nothing;
    double start;
    std::function<long double(long double all, long double x)> join;
    bool is_two_sided = true;
};
const std::vector<folded_case> folded{
    {"\\max_j", "-\\infty", -infinity, [](long double a, long double x) { return std::max(a, x); }},
    {"\\min_j", "\\infty", infinity, [](long double a, long double x) { return std::min(a, x); }},
    {"\\prod_j", "1", 1, [](long double a, long double x) { return a * x; }},
    {"\\operatorname{logsumexp}_j", "-\\infty", -infinity,
     [](long double a, long double x) { return std::log(std::exp(a) + std::exp(x)); }, false},
};

std::vector<named> operands_of(const std::string& text, const array& x) {
    const int n = static_cast<int>(x.size());
    std::vector<named> all{{"x", x}};
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    if (has("(g)")) all.push_back({"g", doubles({}, {static_cast<double>(g)})});
    if (has(" r)")) all.push_back({"r", doubles({}, {static_cast<double>(r)})});
    if (has("t_i")) {
        array t(element::i64, {x.size()});
        for (int i = 0; i < n; ++i) static_cast<std::int64_t*>(t.data())[i] = 7 * i - 40;
        all.push_back({"t", t});
    } else {
        all.push_back({"i", extent(n)});
    }
    return all;
}

}  // namespace

TEST_CASE("sums of pairs by their places take one pass", "[prefixes]") {
    for (const auto& c : weighted)
        for (const int n : {1, 2, 9, 40}) {
            INFO(c.text << ", " << n);
            const program p = text(std::string("y^i = ") + c.text);
            const array x = drawn({static_cast<std::size_t>(n)}, 3);
            const auto operands = operands_of(c.text, x);
            const array y = run(p, operands)["y"];
            for (int i = 0; i < n; ++i) {
                long double sum = 0, size = 1;
                for (int j = 0; j < n; ++j) {
                    const auto part = c.weight(i, j) * entry(x, static_cast<std::size_t>(j));
                    sum += part;
                    size += std::abs(part);
                }
                INFO("place " << i);
                CHECK(std::abs(entry(y, static_cast<std::size_t>(i)) - sum) < 1e-14L * size);
            }
            const std::string words = explain(p, operands);
            INFO(words);
            if (n == 40) CHECK(words.find("over j=40") == std::string::npos);
        }
}

TEST_CASE("folds under several conditions take one pass", "[prefixes]") {
    for (const auto& f : folded)
        for (const auto& c : folded_conditions)
            for (const bool kept : {true, false})
                for (const int n : {1, 5, 40}) {
                    const std::string value =
                        kept ? std::string(" x^j & \\text{if } ") + c.text + " \\\\ " + f.nothing
                             : std::string(f.nothing) + " & \\text{if } \\lnot (" + c.text +
                                   ") \\\\ x^j";
                    const std::string equation = std::string("y^i = ") + f.name +
                                                 "(\\begin{cases} " + value +
                                                 " & \\text{otherwise} \\end{cases})";
                    INFO(equation << ", " << n);
                    const program p = text(equation);
                    array x = drawn({static_cast<std::size_t>(n)}, 3);
                    for (int j = 0; j < n; ++j) {
                        double& there = static_cast<double*>(x.data())[j];
                        there = j % 2 == 0 ? std::abs(there) + 0.1 : -std::abs(there) - 0.1;
                    }
                    const std::vector<named> operands{{"x", x}, {"i", extent(n)}};
                    const array y = run(p, operands)["y"];
                    for (int i = 0; i < n; ++i) {
                        long double want = f.start;
                        for (int j = 0; j < n; ++j)
                            if (c.holds(i, j))
                                want = f.join(want, entry(x, static_cast<std::size_t>(j)));
                        const long double got = entry(y, static_cast<std::size_t>(i));
                        INFO("place " << i);
                        if (std::isinf(want)) CHECK(got == want);
                        else CHECK(std::abs(got - want) < 1e-13L * (1 + std::abs(want)));
                    }
                    const std::string words = explain(p, operands);
                    INFO(words);
                    const bool one_pass =
                        f.is_two_sided || std::string(c.text).find("\\ne") == std::string::npos;
                    if (n == 40 && one_pass) CHECK(words.find("over j=40") == std::string::npos);
                }
}

TEST_CASE("derivatives of sums of pairs by their places", "[prefixes]") {
    const int n = 20;
    for (const auto& c : weighted) {
        INFO(c.text);
        const program p = text(std::string("y^i = ") + c.text);
        const array x = drawn({std::size_t{n}}, 3), slope = drawn({std::size_t{n}}, 4);
        auto operands = operands_of(c.text, x);
        operands.push_back({"dL/dy", slope});
        const array got = run(gradient(p, "y", {"x"}), operands)["dL/dx"];
        for (int j = 0; j < n; ++j) {
            long double sum = 0;
            for (int i = 0; i < n; ++i)
                sum += c.weight(i, j) * entry(slope, static_cast<std::size_t>(i));
            CHECK(std::abs(entry(got, static_cast<std::size_t>(j)) - sum) < 1e-11L);
        }
    }
}

TEST_CASE("derivatives by what sums decay with", "[prefixes]") {
    const std::size_t n = 30;
    const array x = drawn({n}, 1);
    const array ones = doubles({n}, std::vector<double>(n, 1));
    const std::vector<named> others{{"x", x}};
    const auto compare = [&](const char* equation, const char* by, double at) {
        INFO(equation << ", " << at);
        const program p = text(equation);
        const array number = doubles({}, {at});
        auto all = others;
        all.push_back({by, number});
        all.push_back({"dL/dy", ones});
        const auto slopes = gradient(p, "y", {by});
        const array got = run(slopes, all)[std::string("dL/d") + by];
        CHECK(near(got, differences(p, others, "y", by, number), 1e-6));
        const std::string words = explain(slopes, all);
        INFO(words);
        CHECK(words.find("from each to the next") != std::string::npos);
        CHECK(words.find("power") == std::string::npos);
    };
    for (const double at : {0.8, 0.0, -0.5})
        compare("y^i = \\sum_{j \\le i} (g)^{i-j} x^j", "g", at);
    compare("y^i = \\sum_{j \\le i} \\exp(-(i - j) r) x^j", "r", 0.2);
}

TEST_CASE("sums that decay slowly keep their digits", "[prefixes]") {
    // exp(-r) as a float is off by 3e-8: after 10,000 places by 3e-4.
    const std::size_t n = 20000;
    array x(element::f32, {n}), rate(element::f32, {});
    const float slow = 1.1e-5f;
    static_cast<float*>(rate.data())[0] = slow;
    for (std::size_t k = 0; k < n; ++k) static_cast<float*>(x.data())[k] = k % 100 == 0 ? 1 : 0;
    const arrays all = run(text("y^i = \\sum_{j \\le i} \\exp(-(i - j) r) x^j"),
                           {{"x", x}, {"r", rate}, {"i", extent(20000)}});
    const array y = all["y"];
    const void* const data = y.data();
    long double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sum = sum * std::exp(-static_cast<long double>(slow)) + (k % 100 == 0 ? 1 : 0);
        if (k % 1000 == 999)
            CHECK(std::abs(static_cast<const float*>(data)[k] - sum) < 1e-6L * sum);
    }
}

TEST_CASE("brackets in sums up to an index hide what is no number", "[prefixes]") {
    const std::size_t n = 40;
    array x = drawn({n}, 5), m = drawn({n}, 6), f = drawn({n}, 7);
    entry(f, 0) = infinity;  // no place before it is among those of m
    for (std::size_t k = 0; k < n; ++k) {
        if (k < 3) entry(m, k) = -1;
        if (entry(m, k) <= 0) entry(x, k) = k % 3 == 0 ? no_number : k % 3 == 1 ? infinity : 2;
    }
    const program p = text(
        "y^i = \\sum_{j \\le i} [m^j > 0] x^j\n"
        "z^i = \\sum_{j < i} f^i [m^j > 0] x^j\n"
        "c^i = \\sum_{j \\le i} [m^j > 0]\n"
        "a^i = \\sum_{j \\ne i} [m^j > 0] x^j");
    const std::vector<named> operands{{"x", x}, {"m", m}, {"f", f}};
    const arrays got = run(p, operands);
    double count = 0, sum = 0, all = 0;
    for (std::size_t k = 0; k < n; ++k) all += entry(m, k) > 0 ? entry(x, k) : 0;
    for (std::size_t k = 0; k < n; ++k) {
        INFO("place " << k);
        const double before = sum, here = entry(m, k) > 0 ? entry(x, k) : 0;
        sum += here;
        count += entry(m, k) > 0 ? 1 : 0;
        CHECK(std::abs(entry(got["y"], k) - sum) < 1e-12);
        CHECK(entry(got["c"], k) == count);
        CHECK(std::abs(entry(got["z"], k) - (k < 4 ? 0 : entry(f, k) * before)) < 1e-12);
        CHECK(std::abs(entry(got["a"], k) - (all - here)) < 1e-12);
    }
    CHECK(explain(p, operands).find("over j") == std::string::npos);
    // What is no number and hidden by nothing is in all sums from there on.
    entry(m, 20) = 1;
    entry(x, 20) = no_number;
    const arrays shown = run(p, operands);
    for (std::size_t k = 0; k < n; ++k) {
        CHECK((entry(shown["y"], k) != entry(shown["y"], k)) == (k >= 20));
        CHECK((entry(shown["a"], k) != entry(shown["a"], k)) == (k != 20));
    }
}

TEST_CASE("what is no number beside one place is not at that place", "[prefixes]") {
    const std::size_t n = 12;
    array x = drawn({n}, 1);
    entry(x, 5) = infinity;
    const arrays got = run(text("s^i = \\sum_{j \\ne i} x^j\n m^i = \\max_{j \\ne i} x^j\n"
                                "p^i = \\prod_{j \\ne i} x^j"),
                           {{"x", x}, {"i", extent(12)}});
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0, product = 1, most = -infinity;
        for (std::size_t j = 0; j < n; ++j) {
            if (j == i) continue;
            sum += entry(x, j);
            product *= entry(x, j);
            most = std::max(most, entry(x, j));
        }
        const auto same = [](double a, double b) { return a == b || std::abs(a - b) < 1e-12; };
        CHECK(same(entry(got["s"], i), sum));
        CHECK(same(entry(got["m"], i), most));
        CHECK(same(entry(got["p"], i), product));
    }
}

TEST_CASE("a sum up to an index that is summed over, too", "[prefixes]") {
    // whichever of the two the plan meets first, and nothing beside the sum
    const std::size_t n = 12, few = 3;
    const array x = drawn({n}, 4), v = drawn({few}, 5);
    const arrays got =
        run(text("z^i = (x^i)^2\n"
                 "y = \\sum_{i,l} [l < i] x^i, \\quad l \\in \\operatorname{axis}_0(v)\n"
                 "w = \\sum_{i,l} [i < l] x^i, \\quad l \\in \\operatorname{axis}_0(v)\n"
                 "u = \\sum_{i} \\sum_{j \\ge i} x^j"),
            {{"x", x}, {"v", v}});
    double y = 0, w = 0, u = 0;
    for (std::size_t i = 0; i < n; ++i) {
        y += entry(x, i) * double(std::min(i, few));
        w += entry(x, i) * double(i < few ? few - 1 - i : 0);
        u += entry(x, i) * double(i + 1);
    }
    CHECK(std::abs(entry(got["y"], 0) - y) < 1e-12);
    CHECK(std::abs(entry(got["w"], 0) - w) < 1e-12);
    CHECK(std::abs(entry(got["u"], 0) - u) < 1e-12);
}

TEST_CASE("sums up to two indices are scans along two axes", "[prefixes]") {
    const std::size_t rows = 12, columns = 9;
    const array x = drawn({rows, columns}, 2);
    const program p = text(
        "I^{ij} = \\sum_{p \\le i \\land q \\le j} x^{pq}\n"
        "J^{ij} = \\sum_{p, q} [p < i \\land q \\ge j] x^{pq}");
    const std::vector<named> operands{{"x", x}, {"i", extent(12)}, {"j", extent(9)}};
    const arrays got = run(p, operands);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            double first = 0, second = 0;
            for (std::size_t a = 0; a < rows; ++a)
                for (std::size_t b = 0; b < columns; ++b) {
                    if (a <= i && b <= j) first += entry(x, a * columns + b);
                    if (a < i && b >= j) second += entry(x, a * columns + b);
                }
            CHECK(std::abs(entry(got["I"], i * columns + j) - first) < 1e-12);
            CHECK(std::abs(entry(got["J"], i * columns + j) - second) < 1e-12);
        }
    CHECK(explain(p, operands).find("over p") == std::string::npos);
}

TEST_CASE("the gradient of a table that a sum up to an index looks up", "[prefixes]") {
    const std::size_t n = 50, v = 5, a = 3;
    const program p = text("s^{ia} = \\sum_{j \\le i} E^{t_j a}");
    array t(element::i64, {n});
    for (std::size_t k = 0; k < n; ++k)
        static_cast<std::int64_t*>(t.data())[k] = static_cast<std::int64_t>(k * k % v);
    const array slope = drawn({n, a}, 1);
    const std::vector<named> operands{{"E", drawn({v, a}, 2)}, {"t", t}, {"dL/ds", slope}};
    const auto slopes = gradient(p, "s", {"E"});
    const array got = run(slopes, operands)["dL/dE"];
    std::vector<double> wanted(v * a, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t c = 0; c < a; ++c)
                wanted[j * j % v * a + c] += entry(slope, i * a + c);
    for (std::size_t k = 0; k < v * a; ++k) CHECK(std::abs(entry(got, k) - wanted[k]) < 1e-11);
    const std::string words = explain(slopes, operands);
    INFO(words);
    CHECK(words.find("from each i") != std::string::npos);
}

TEST_CASE("a bracket that is the value of an extremum is no condition of it", "[prefixes]") {
    // Where no x^j is above 0 there is nothing, whatever the brackets are.
    array x(element::f64, {20}), y(element::f64, {20});
    for (std::size_t j = 0; j < 20; ++j) static_cast<double*>(x.data())[j] = -1.0 - double(j);
    for (const char* const bracket :
         {"j \\le i", "j \\ge i", "j \\ne i", "j < i \\lor j > i + 2"}) {
        const std::string body =
            std::string("_j \\begin{cases} [") + bracket + "] & \\text{if } x^j > 0 \\\\ ";
        const arrays got = run(text("m^i = y^i + \\max" + body +
                                    "-\\infty & \\text{otherwise} \\end{cases}\n"
                                    "q^i = y^i + \\min" +
                                    body + "\\infty & \\text{otherwise} \\end{cases}"),
                               {{"x", x}, {"y", y}});
        INFO(bracket);
        for (std::size_t i = 0; i < 20; ++i) {
            CHECK(static_cast<const double*>(got["m"].data())[i] == -infinity);
            CHECK(static_cast<const double*>(got["q"].data())[i] == infinity);
        }
    }
}
