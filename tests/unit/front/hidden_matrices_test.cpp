// What a bracket hides need not have an inverse, nor a factor, nor a place.
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

// Matrices of a batch of two: both have an inverse, or the second has none, or is no number.
const std::vector<double> good{4, 1, 0, 1, 5, 2, 0, 2, 6};
array pair_of(const std::vector<double>& second) {
    std::vector<double> both = good;
    both.insert(both.end(), second.begin(), second.end());
    return doubles({2, 3, 3}, both);
}
array sound() { return pair_of({3, 1, 1, 1, 4, 0, 1, 0, 5}); }
array singular() { return pair_of({1, 2, 0, 2, 5, 0, 0, 0, 0}); }
array nothing() { return pair_of(std::vector<double>(9, NAN)); }

bool is_refused(const program& p, const std::vector<named>& operands) {
    try {
        run(p, operands);
    } catch (const error&) {
        return true;
    }
    return false;
}
std::size_t factors_in(const std::string& words) {
    std::size_t count = 0;
    for (auto at = words.find("factors  "); at != std::string::npos;
         at = words.find("factors  ", at + 1))
        ++count;
    return count;
}

/// z of `equation` has the same first half with any second matrix, and `hidden` where that is not
/// wanted.
void check_hidden(const std::string& equation, double hidden, bool singular_is_refused = true) {
    const program p = text(equation);
    const array y = drawn({2, 3}, 1);
    const array first = doubles({2}, {1, 0}), all = doubles({2}, {1, 1});
    const array wanted = run(p, {{"K", sound()}, {"y", y}, {"c", all}})["z"];
    INFO(equation);
    for (const array& k : {sound(), singular(), nothing()}) {
        const array got = run(p, {{"K", k}, {"y", y}, {"c", first}})["z"];
        for (std::size_t n = 0; n < got.size(); ++n)
            CHECK(entry(got, n) == Approx(n < got.size() / 2 ? entry(wanted, n) : hidden));
        const bool is_singular = !std::isnan(entry(k, 9)) && entry(k, 9) == 1;
        const bool fails = std::isnan(entry(k, 9)) || (is_singular && singular_is_refused);
        CHECK(is_refused(p, {{"K", k}, {"y", y}, {"c", all}}) == fails);
    }
}

}  // namespace

TEST_CASE("what a bracket hides of functions of matrices fails no call", "[matrices]") {
    check_hidden("z^{bj} = [c^b > 0] \\operatorname{solve}_{ij}(K^{bij}, y^{bi})", 0);
    check_hidden("z^{bj} = [c^b > 0] 2 \\sin(\\operatorname{solve}_{ij}(K^{bij}, y^{bi}))", 0);
    check_hidden("m^b = [c^b > 0]\nz^{bj} = m^b \\operatorname{solve}_{ij}(K^{bij}, y^{bi})", 0);
    check_hidden("z^b = [c^b > 0] \\operatorname{logdet}_{ij}(K^{bij}) + 0 y^{b0}", 0, false);
    check_hidden("z^b = \\frac{[c^b > 0]}{\\det_{ij}(K^{bij})} + 0 y^{b0}", 0, false);
    check_hidden(
        "z^{bj} = \\begin{cases} \\operatorname{solve}_{ij}(K^{bij}, y^{bi}) & \\text{if } c^b > 0 "
        "\\\\ 7 & \\text{otherwise} \\end{cases}",
        7);
    check_hidden(
        "z^{bj} = \\begin{cases} 7 & \\text{if } c^b < 1 \\\\ "
        "\\operatorname{solve}_{ij}(K^{bij}, y^{bi}) & \\text{otherwise} \\end{cases}",
        7);
    check_hidden(
        "z^{bj} = [c^b > 0] \\operatorname{solve}_{ij}(K^{bij}, "
        "\\operatorname{solve}_{pi}(K^{bip}, "
        "y^{bp}))",
        0);
    check_hidden("z^{bij} = [c^b > 0] \\operatorname{chol}_{ij}(K^{bij}) + 0 y^{bi}", 0);
}

TEST_CASE("a condition may be of the matrix itself, or of its places", "[matrices]") {
    const array y = drawn({2, 3}, 1);
    const program by_size = text(
        "z^{bj} = \\begin{cases} \\operatorname{solve}_{ij}(K^{bij}, y^{bi}) & \\text{if } "
        "|\\det_{gh}(K^{bgh})| > 0.001 \\\\ 7 & \\text{otherwise} \\end{cases}");
    const array got = run(by_size, {{"K", singular()}, {"y", y}})["z"];
    for (std::size_t j = 3; j < 6; ++j) CHECK(entry(got, j) == 7);
    // where a bracket has another letter, a matrix is wanted if any place wants it
    const program any = text("z^{rj} = [c^r > 0] \\operatorname{solve}_{ij}(K^{ij}, y^{ri})");
    const array k = doubles({3, 3}, {1, 2, 3, 2, 4, 6, 0, 1, 1});
    const array none = run(any, {{"K", k}, {"y", y}, {"c", doubles({2}, {0, 0})}})["z"];
    for (const double z : values_of(none)) CHECK(z == 0);
    CHECK(is_refused(any, {{"K", k}, {"y", y}, {"c", doubles({2}, {0, 1})}}));
    const program before =
        text("z^{bj} = [b \\ge 1] \\operatorname{solve}_{ij}(K^{(b-1)ij}, y^{(b-1)i} + 0)");
    const array shifted = run(before, {{"K", singular()}, {"y", y}, {"b", extent(2)}})["z"];
    const array straight = run(text("z^{bj} = \\operatorname{solve}_{ij}(K^{bij}, y^{bi})"),
                               {{"K", sound()}, {"y", y}})["z"];
    for (std::size_t j = 0; j < 3; ++j) {
        CHECK(entry(shifted, j) == 0);
        CHECK(entry(shifted, 3 + j) == Approx(entry(straight, j)));
    }
}

TEST_CASE("gradients of what a bracket hides are 0", "[matrices]") {
    const array y = drawn({2, 3}, 1), weights = drawn({2, 3}, 2);
    const program p = text("z^{bj} = [c^b > 0] \\operatorname{solve}_{ij}(K^{bij}, y^{bi})");
    const auto slopes_of = [&](const array& k, double second) {
        return run(gradient(p, "z", {"K", "y"}),
                   {{"K", k}, {"y", y}, {"c", doubles({2}, {1, second})}, {"dL/dz", weights}});
    };
    const arrays wanted = slopes_of(sound(), 1);
    for (const array& k : {singular(), nothing()}) {
        const arrays got = slopes_of(k, 0);
        for (const char* const name : {"dL/dK", "dL/dy"})
            for (std::size_t n = 0, size = got[name].size(); n < size; ++n)
                CHECK(entry(got[name], n) == Approx(n < size / 2 ? entry(wanted[name], n) : 0));
    }
}

TEST_CASE("a matrix that is needed anyway is factored once, brackets or not", "[matrices]") {
    const array c = doubles({3}, {1, 0, 1}), k = drawn({3, 4, 4}, 3), y = drawn({3, 4}, 4);
    const std::vector<named> operands{{"K", k}, {"y", y}, {"c", c}};
    const auto factors_of = [&](const char* equations) {
        const std::string words = explain(text(equations), operands);
        INFO(words);
        return factors_in(words);
    };
    CHECK(factors_of("x^{bj} = \\operatorname{solve}_{ij}(K^{bij}, y^{bi})\n"
                     "z^{bi} = [c^b > 0] \\operatorname{solve}_{ji}(K^{bij}, y^{bj})\n"
                     "l^b = [c^b > 0] \\operatorname{logdet}_{ij}(K^{bij})") == 1);
    // hidden by the same brackets, they share one as well
    CHECK(factors_of("z^{bj} = [c^b > 0] \\operatorname{solve}_{ij}(K^{bij}, y^{bi})\n"
                     "w^{bi} = [c^b > 0] \\operatorname{solve}_{ji}(K^{bij}, y^{bj})") == 1);
}

TEST_CASE("what a matrix looks up is wanted by all of its rows", "[matrices]") {
    const array e = doubles({3, 3}, {4, 1, 0.5, 1, 5, 1, 0.5, 1, 6}), y = drawn({3}, 1);
    const array there = doubles({3}, {0, 2, 2}), beyond = doubles({3}, {0, 7, 2});
    const array first = doubles({3}, {1, 0, 1}), none = doubles({3}, {0, 0, 0});
    for (const char* const equation :
         {"z^{ij} = [c^i > 0] \\operatorname{chol}_{ij}(E^{a_i j} + 9 \\delta^{ij}) + 0 y^i",
          "z^j = \\operatorname{solve}_{ij}(E^{a_i j} + 3 \\delta^{ij}, [c^i > 0] y^i)"}) {
        INFO(equation);
        const program p = text(equation);
        CHECK_FALSE(is_refused(p, {{"E", e}, {"y", y}, {"a", there}, {"c", first}}));
        CHECK(is_refused(p, {{"E", e}, {"y", y}, {"a", beyond}, {"c", first}}));
    }
    const program hidden = text("z^{ij} = [c^i > 0] \\operatorname{chol}_{ij}(E^{a_i j}) + 0 y^i");
    const array got = run(hidden, {{"E", e}, {"y", y}, {"a", beyond}, {"c", none}})["z"];
    for (const double z : values_of(got)) CHECK(z == 0);
}

TEST_CASE("who wants a matrix is asked at its own letters", "[matrices]") {
    // The second asks for all k; the first, whose matrix is the same one, has its own there.
    const array k = drawn({3, 2, 2}, 5), g = doubles({3}, {-1, -1, 1});
    const array c = doubles({3, 3}, {-1, 1, -1, -1, -1, 1, 1, -1, -1});
    const program p = text(
        "x^k = [g^k > 0] \\det_{ij}(K^{kij})\n"
        "z^b = \\sum_k [c^{bk} > 0] \\det_{ij}(K^{bij})");
    const arrays got = run(p, {{"K", k}, {"g", g}, {"c", c}});
    for (std::size_t b = 0; b < 3; ++b) {
        const auto at = [&](std::size_t n) { return entry(k, 4 * b + n); };
        CHECK(entry(got["z"], b) == Approx(at(0) * at(3) - at(1) * at(2)));
    }
}
