// What a program known at run time says of claims, of its second derivatives, and of what is
// probably not meant.
#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;
using ricci::testing::Contains;

namespace {

program parsed(const char* text) {
    auto read = parse(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

}  // namespace

TEST_CASE("claims are judged with a counterexample") {
    const program p = parsed("C^{ij} = A^{ik} B^{kj}\n T = C^{ii}");
    CHECK(p.states("T = B^{kj} A^{jk}"));
    CHECK_FALSE(p.states("T = B^{kj} A^{kj}"));
    CHECK(p.judge("T = B^{kj} A^{jk}").verdict == verdict::proved);
    CHECK(p.judge("T = B^{kj} A^{jk}").words.empty());
    const judgement j = p.judge("T = B^{kj} A^{kj}");
    CHECK(j.verdict == verdict::refuted);
    CHECK_THAT(j.words, Contains("refuted: with A ="));
    CHECK(p.judge("T = x^i y^i").verdict == verdict::unproved);
    CHECK_THROWS_WITH(p.states("T = ("), Contains("line 1"));
}

TEST_CASE("what is probably not meant is warned of") {
    CHECK(parsed("Y^i = A^{ij} x^j").warnings().empty());
    const std::vector<mistake> found = parsed("U^i = 2 x^i\n Y^i = A^{ij} x^j").warnings();
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].message, Contains("no equation uses U"));
}

TEST_CASE("derivatives of second order are derived from the first, of what is defined") {
    const program wave = parsed("y = A \\sin(k x - \\omega t)");
    CHECK(wave.states("\\frac{\\partial^2 y}{\\partial t \\partial t} = -\\omega^2 y"));
    CHECK(wave.states("\\frac{\\partial^2 y}{\\partial x \\partial t} = k \\omega y"));
    CHECK(wave.judge("\\frac{\\partial^2 y}{\\partial t \\partial t} = \\omega^2 y").verdict ==
          verdict::refuted);
    const program squares = parsed("y^i = A^{ij} x^j x^j");
    CHECK(squares.states(
        "\\frac{\\partial^2 y^i}{\\partial x^j \\partial x^k} = 2 A^{ij} \\delta^{jk}"));
    CHECK(
        squares.judge("\\frac{\\partial^2 y^i}{\\partial x^j \\partial x^k} = A^{ij} \\delta^{jk}")
            .verdict == verdict::refuted);
    const program chain = parsed("y = f x\n z = y^2");
    CHECK(chain.states("\\frac{\\partial^2 z}{\\partial x \\partial f} = 4 f x"));
}

TEST_CASE("a claim with another rank than the equations is said to be that") {
    const program p = parsed("y^i = A^{ij} x^j");
    for (const char* claim : {"y^i = A^i x^i", "y^{ij} = A^{ij} x^j"}) {
        const judgement j = p.judge(claim);
        CHECK(j.verdict == verdict::unproved);
        CHECK_THAT(j.words, Contains("has another number of indices in the claim"));
        CHECK_FALSE(p.states(claim));
    }
}
