// Claims about what compares numbers, drawn at random, against values computed here at points that
// hold ties: none that is false is proved, and what is true is.
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "tests/catch.hpp"

using namespace ricci::judge;

namespace {

using point = std::array<double, 3>;
/// A text, and what it means.
struct drawn {
    std::string text;
    std::function<double(const point&)> value;
};

drawn of_two(const char* before, const drawn& a, const char* between, const drawn& b,
             const char* behind, double (*f)(double, double)) {
    return {before + a.text + between + b.text + behind,
            [f, a, b](const point& x) { return f(a.value(x), b.value(x)); }};
}
drawn of_one(const char* before, const drawn& a, const char* behind, double (*f)(double)) {
    return {before + a.text + behind, [f, a](const point& x) { return f(a.value(x)); }};
}
drawn largest(const drawn& a, const drawn& b) {
    return of_two("\\max(", a, ", ", b, ")", [](double x, double y) { return std::fmax(x, y); });
}
drawn smallest(const drawn& a, const drawn& b) {
    return of_two("\\min(", a, ", ", b, ")", [](double x, double y) { return std::fmin(x, y); });
}
drawn magnitude(const drawn& a) {
    return of_one("\\operatorname{abs}(", a, ")", [](double x) { return std::fabs(x); });
}
drawn sign(const drawn& a) {
    return of_one("\\operatorname{sign}(", a, ")", [](double x) {
        return x > 0 ? 1. : x < 0 ? -1. : 0.;
    });
}
drawn rectified(const drawn& a) {
    return of_one("\\operatorname{relu}(", a, ")", [](double x) { return x > 0 ? x : 0; });
}
drawn sum(const drawn& a, const drawn& b) {
    return of_two("(", a, " + ", b, ")", [](double x, double y) { return x + y; });
}
drawn difference(const drawn& a, const drawn& b) {
    return of_two("(", a, " - (", b, "))", [](double x, double y) { return x - y; });
}
drawn product(const drawn& a, const drawn& b) {
    return of_two("(", a, ") \\cdot (", b, ")", [](double x, double y) { return x * y; });
}
drawn less(const drawn& a, const drawn& b) {
    return of_two("[", a, " < ", b, "]", [](double x, double y) { return x < y ? 1. : 0.; });
}
drawn at_most(const drawn& a, const drawn& b) {
    return of_two("[", a, " \\le ", b, "]", [](double x, double y) { return x <= y ? 1. : 0.; });
}
drawn number(int n) {
    return {std::to_string(n), [n](const point&) { return n; }};
}
drawn minus(const drawn& a) {
    return of_one("(-(", a, "))", [](double x) { return -x; });
}
/// b where a is no larger, else c.
drawn cases(const drawn& a, const drawn& b, const drawn& c, const drawn& d) {
    return {"\\begin{cases} " + c.text + " & \\text{if } " + a.text + " \\le " + b.text + " \\\\ " +
                d.text + " & \\text{otherwise} \\end{cases}",
            [=](const point& x) { return a.value(x) <= b.value(x) ? c.value(x) : d.value(x); }};
}

class generator {
public:
    explicit generator(unsigned seed) : random_(seed) {}

    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    /// Two expressions that are equal, the second one written in other functions.
    std::pair<drawn, drawn> equal(int depth) {
        if (depth == 0 || pick(6) == 0) {
            if (pick(4) == 0) return same(number(pick(3)));
            const int k = pick(3);
            return same({std::string(1, "abc"[k]),
                         [k](const point& x) { return x[static_cast<std::size_t>(k)]; }});
        }
        const auto [a, a2] = equal(depth - 1);
        const auto [b, b2] = equal(depth - 1);
        const bool one = pick(2) == 0;
        switch (pick(9)) {
            case 0:
                return {largest(a, b), one ? sum(b2, rectified(difference(a2, b2)))
                                           : minus(smallest(minus(b2), minus(a2)))};
            case 1:
                return {smallest(a, b),
                        one ? cases(a2, b2, a2, b2) : difference(sum(a2, b2), largest(b2, a2))};
            case 2:
                return {magnitude(a), one ? largest(a2, minus(a2)) : product(a2, sign(a2))};
            case 3:
                return {sign(a), difference(less(number(0), a2), less(a2, number(0)))};
            case 4:
                return {rectified(a), one ? product(a2, less(number(0), a2))
                                          : product(at_most(number(0), a2), a2)};
            case 5:
                return {sum(a, b), sum(b2, a2)};
            case 6:
                return {difference(a, b), minus(difference(b2, a2))};
            case 7:
                return {less(a, b), difference(number(1), at_most(b2, a2))};
            default:
                return {cases(a, b, a, number(1)), sum(product(at_most(a2, b2), a2), less(b2, a2))};
        }
    }

private:
    static std::pair<drawn, drawn> same(const drawn& a) { return {a, a}; }
    std::mt19937 random_;
};

bool differ(const drawn& a, const drawn& b) {
    const std::array<double, 13> values{-4, -3.5, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 3.5, 4};
    for (const double x : values)
        for (const double y : values)
            for (const double z : values)
                if (a.value({x, y, z}) != b.value({x, y, z})) return true;
    return false;
}

finding judged(const std::string& one, const std::string& other) {
    request asked;
    asked.source = "y = 0 \\cdot (a + b + c) + " + one;
    asked.claims = "y = " + other;
    return judge(asked);
}

int from_environment(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

}  // namespace

TEST_CASE("what compares numbers is proved by cases, and no mistake in it is") {
    const int seed = from_environment("RICCI_SEED", 1),
              programs = from_environment("RICCI_PROGRAMS", 60);
    int mistakes = 0;
    for (int k = 0; k < programs; ++k) {
        generator g(static_cast<unsigned>(seed * 1000 + k));
        const auto [one, other] = g.equal(2);
        const auto [third, unused] = g.equal(2);
        INFO("seed " << seed << ", " << k << ": " << one.text << " = " << other.text);
        REQUIRE_FALSE(differ(one, other));
        const finding same = judged(one.text, other.text);
        INFO(same.words);
        CHECK(same.readable);
        CHECK(same.verdict == verdict::proved);
        // one of its parts is another
        const drawn wrong = g.pick(2) == 0 ? sum(other, less(third, one))
                                           : largest(other, product(number(2), third));
        const bool is_wrong = differ(one, wrong);
        const finding found = judged(one.text, wrong.text);
        INFO("beside " << wrong.text << ": " << found.words);
        CHECK((found.verdict != verdict::proved || !is_wrong));
        CHECK((found.verdict != verdict::refuted || is_wrong));
        mistakes += is_wrong;
    }
    CHECK(2 * mistakes >= programs);
}

TEST_CASE("a sum of cases is proved where what it sums is") {
    const auto proves = [](const char* source, const char* claim) {
        request asked;
        asked.source = source;
        asked.claims = claim;
        const finding f = judge(asked);
        INFO(source << "  |-  " << claim << ": " << f.words);
        CHECK(f.readable);
        return f.verdict == verdict::proved;
    };
    CHECK(proves("s = \\sum_{i,j} \\operatorname{abs}(x^i - x^j)",
                 "s = 2 \\sum_{i,j} \\max(0, x^i - x^j)"));
    CHECK_FALSE(proves("s = \\sum_{i,j} A^{ij} \\operatorname{abs}(x^i - x^j)",
                       "s = 2 \\sum_{i,j} A^{ij} \\max(0, x^i - x^j)"));
    CHECK(proves("z^n = x^{na} w^a\ns = \\sum_n \\max(0, z^n)^2",
                 "\\frac{\\partial s}{\\partial w^a} = 2 \\sum_n \\max(0, z^n) x^{na}"));
    // the two sums need not be as long
    CHECK_FALSE(proves("s = \\sum_i [x^i > 0] + \\sum_i [x^i \\le 0] + 0 \\sum_j z^j",
                       "s = \\sum_j (z^j)^0"));
    // ties are cases: the larger one's derivative is shared there
    CHECK_FALSE(proves("y^i = \\max(x^i, z^i)",
                       "\\frac{\\partial L}{\\partial x^i} = [x^i > z^i] \\frac{\\partial "
                       "L}{\\partial y^i}"));
    CHECK(proves("y^i = \\max(x^i, z^i)",
                 "\\frac{\\partial L}{\\partial x^i} = ([x^i > z^i] + \\frac{1}{2} [x^i = z^i]) "
                 "\\frac{\\partial L}{\\partial y^i}"));
}
