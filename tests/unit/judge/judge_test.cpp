// What claims come to: proved, true under an assumption, refuted, or left open.
#include "judge/judge.hpp"

#include <string>

#include "tests/catch.hpp"

using namespace ricci::judge;
using ricci::testing::Contains;

namespace {

finding of(const char* source, const char* claim, std::vector<assumption> declared = {}) {
    request asked;
    asked.source = source;
    asked.claims = claim;
    asked.declared = std::move(declared);
    const finding out = judge(asked);
    INFO(source << "  |-  " << claim << ": " << out.words);
    CHECK(out.readable);
    return out;
}
/// left = right, of inputs alone.
finding relation(const char* left, const char* right, std::vector<assumption> declared = {}) {
    const std::string side = "z";
    return of((side + left).c_str(), (side + right).c_str(), std::move(declared));
}

}  // namespace

TEST_CASE("a claim that holds for all inputs is proved, and needs no assumption") {
    const finding f = of("y^i = 2 A^{ij} x^j", "y^i = A^{ij} x^j + A^{ik} x^k");
    CHECK(f.verdict == verdict::proved);
    CHECK(f.words.empty());
    CHECK(f.under.empty());
}

TEST_CASE("logarithms and sums of softmax are proved") {
    CHECK(of("y^{ij} = \\log(\\operatorname{softmax}_j(s^{ij}))",
             "y^{ij} = s^{ij} - \\log(\\sum_k \\exp(s^{ik}))")
              .verdict == verdict::proved);
    CHECK(of("y^{ij} = \\log(\\operatorname{softmax}_j(s^{ij}))",
             "y^{ij} = s^{ij} - \\operatorname{logsumexp}_k(s^{ik})")
              .verdict == verdict::proved);
    CHECK(of("p^{ij} = \\operatorname{softmax}_j(s^{ij})\n y^{ij} = \\log(p^{ij})",
             "y^{ij} = s^{ij} - \\log(\\sum_k \\exp(s^{ik}))")
              .verdict == verdict::proved);
    CHECK(of("p^{ij} = \\operatorname{softmax}_j(s^{ij})\n y^i = \\sum_j p^{ij}", "y^i = 1")
              .verdict == verdict::proved);
    CHECK(of("y^{ij} = \\log(\\operatorname{softmax}_j(s^{ij}))",
             "y^{ij} = s^{ij} + \\log(\\sum_k \\exp(s^{ik}))")
              .verdict == verdict::refuted);
    CHECK(of("p^{ij} = \\operatorname{softmax}_j(s^{ij})\n y^j = \\sum_i p^{ij}", "y^j = 1")
              .verdict == verdict::refuted);
}

TEST_CASE("what an equation states of its inputs is found as an assumption") {
    const auto property_of = [](const char* left, const char* right) {
        const finding f = relation(left, right);
        CHECK(f.verdict == verdict::conditional);
        REQUIRE(f.under.size() == 1);
        return f.under[0];
    };
    CHECK(property_of("^i = \\sum_j A^{ij}", "^i = 1").property == property::sums_to_one);
    CHECK(property_of("^i = \\sum_j A^{ij}", "^i = 1").first == 1);
    CHECK(property_of("^{ik} = A^{ij} A^{jk}", "^{ik} = A^{ji} A^{jk}").property ==
          property::symmetric);
    CHECK(property_of("^{ik} = A^{ij} A^{jk}", "^{ik} = -A^{ji} A^{jk}").property ==
          property::antisymmetric);
    CHECK(property_of("^{ij} = \\sum_k U^{ki} U^{kj}", "^{ij} = \\delta^{ij}").property ==
          property::orthogonal);
    CHECK(property_of(" = v^i v^i", " = 1").property == property::unit_length);
    CHECK(property_of("^i = \\sqrt{(x^i)^2}", "^i = x^i").property == property::positive);
    const assumption counted = property_of(" = \\sum_i (x_i - m)", " = \\sum_i x_i - n m");
    CHECK(counted.property == property::counts);
    CHECK(counted.name == "n");
}

TEST_CASE("the words of a condition") {
    CHECK(
        relation(" = x_i \\Sigma_{ij} y_j + x_i y_i", " = y_i \\Sigma_{ij} x_j + x_i y_i").words ==
        "true if \\Sigma_{ij} = \\Sigma_{ji}");
    CHECK(relation(" = \\sum_i p_i (x_i - c)", " = \\sum_i p_i x_i - c").words ==
          "true if \\sum_i p_i = 1");
}

TEST_CASE("what is declared holds in every draw, several names at once") {
    const char* const left = " = \\sum_{i,j} p^i q^j (x^i + w^j)";
    const char* const right = " = \\sum_i p^i x^i + \\sum_j q^j w^j";
    CHECK(relation(left, right).verdict == verdict::refuted);
    const finding f =
        relation(left, right, {{"p", property::sums_to_one}, {"q", property::sums_to_one}});
    CHECK(f.verdict == verdict::conditional);
    CHECK(f.by_declared);
    CHECK(f.words == "true if \\sum_i p_i = 1 and \\sum_i q_i = 1");
    const finding one = relation(left, right, {{"p", property::sums_to_one}});
    CHECK(one.verdict == verdict::conditional);
    CHECK_FALSE(one.by_declared);
    CHECK(relation("^i = (x^i)^2", "^i = x^i").verdict == verdict::refuted);
    CHECK(relation("^i = (x^i)^2", "^i = x^i", {{"x", property::one_hot}}).verdict ==
          verdict::conditional);
    CHECK(relation("^{ij} = A^{ij}", "^{ij} = A^{ii} \\delta^{ij}").verdict == verdict::refuted);
    CHECK(relation("^{ij} = A^{ij}", "^{ij} = A^{ii} \\delta^{ij}", {{"A", property::diagonal}})
              .verdict == verdict::conditional);
    CHECK(relation(" = \\cos(2 \\pi n)", " = 1").verdict == verdict::refuted);
    CHECK(relation(" = \\cos(2 \\pi n)", " = 1", {{"n", property::whole}}).verdict ==
          verdict::conditional);
}

TEST_CASE("an input that the derived side lacks stays open") {
    const finding f = of("y^i = 2 x^i", "y^i = 2 x^i + D^i");
    CHECK(f.verdict == verdict::unproved);
    CHECK(f.lacking == std::vector<std::string>{"D"});
    CHECK(of("y^i = 2 x^i\n v^i = 3 D^i", "y^i = 2 x^i + D^i").verdict == verdict::unproved);
    // but an orthogonal one may drop out
    CHECK(of("y = x^i x^i", "y = x^i Q^{ij} Q^{kj} x^k").verdict == verdict::conditional);
}

TEST_CASE("a verdict of three is left as it is") {
    request asked;
    asked.source = "y^i = A^{ij} A^{jk} x^k";
    asked.claims = "y^i = A^{ji} A^{jk} x^k";
    asked.try_assumptions = false;
    CHECK(judge(asked).verdict == verdict::refuted);
    asked.try_assumptions = true;
    CHECK(judge(asked).verdict == verdict::conditional);
}

TEST_CASE("a matrix that need not be square is not assumed to be symmetric") {
    CHECK(of("y^i = A^{ij} x^j", "y^i = A^{ji} x^j").verdict == verdict::refuted);
    CHECK(of("y^i = A^{ij} x^j", "y^i = A^{ji} x^j", {{"A", property::symmetric}}).verdict ==
          verdict::conditional);
    CHECK(of("S^{ij} = Q^{ia} K^{ja}",
             "\\frac{\\partial L}{\\partial K^{ja}} = \\frac{\\partial L}{\\partial S^{ij}} Q^{ai}")
              .verdict == verdict::refuted);
}

TEST_CASE("what may not commute keeps its order") {
    const auto verdict_of = [](const char* source, const char* claim) {
        request asked;
        asked.source = source;
        asked.claims = claim;
        asked.noncommuting = true;
        const finding out = judge(asked);
        INFO(source << " " << claim << " " << out.words);
        CHECK(out.readable);
        return out.verdict;
    };
    CHECK(verdict_of("z = A B - B A", "z = 0") == verdict::unproved);
    CHECK(verdict_of("z = A B", "z = B A") == verdict::unproved);
    CHECK(verdict_of("z = A B C", "z = A C B") == verdict::unproved);
    CHECK(verdict_of("z = x_1 p_1 - p_1 x_1", "z = 0") == verdict::unproved);
    CHECK(verdict_of("z = (A + B)^2", "z = A^2 + 2 A B + B^2") == verdict::unproved);
    CHECK(verdict_of("z = (A + B)^2", "z = A^2 + A B + B A + B^2") == verdict::proved);
    CHECK(verdict_of("z = A B C - C A B", "z = A (B C - C B) + (A C - C A) B") == verdict::proved);
    CHECK(verdict_of("z = A B C - C A B", "z = A (B C - C B) - (A C - C A) B") ==
          verdict::unproved);
    CHECK(verdict_of("w = A + B\n z = w w", "z = w^2") == verdict::proved);
    CHECK(verdict_of("z = \\exp(A) B", "z = B \\exp(A)") == verdict::unproved);
    CHECK(verdict_of("z = A / B", "z = A B^{-1}") == verdict::unproved);
    CHECK(verdict_of("z = 2 A + 3 A", "z = 5 A") == verdict::proved);
    CHECK(verdict_of("z^{ik} = A^{ij} B^{jk}", "z^{ik} = B^{jk} A^{ij}") == verdict::proved);
}

TEST_CASE("texts that cannot be read, and claims of nothing") {
    request asked;
    asked.source = "y^i = (";
    asked.claims = "y^i = 1";
    CHECK_FALSE(judge(asked).readable);
    CHECK(of("y = x", "w = x").verdict == verdict::unproved);
    CHECK(of("y^i = A^{ij} x^j", "y^{ij} = A^{ij} x^j").verdict == verdict::unproved);
}

TEST_CASE("numbers in claims are exact") {
    const char* const wrong[][2] = {{"\\pi x^i", "3.14159265358979 x^i"},
                                    {"\\pi x^i", "\\frac{245850922}{78256779} x^i"},
                                    {"10^{400} x^i", "10^{401} x^i"},
                                    {"10^{-200} \\cdot 10^{-200} x^i", "0"},
                                    {"10^{300} 10^{300} x^i", "10^{301} 10^{300} x^i"},
                                    {"9007199254740993 x^i", "9007199254740992 x^i"},
                                    {"2^{64} x^i", "18446744073709551615 x^i"},
                                    {"\\sqrt{2} x^i", "1.41421356237309505 x^i"},
                                    {"0.1 x^i", "0.1000000000000000055511151231257827 x^i"},
                                    {"\\exp(1) x^i", "2.718281828459045 x^i"},
                                    {"2^{31} x^i", "x^i"},
                                    {"2^{61} x^i", "x^i"},
                                    {"\\log(2) x^i", "0.6931471805599453 x^i"}};
    for (const auto& sides : wrong) {
        const std::string left = std::string("y^i = ") + sides[0],
                          right = std::string("y^i = ") + sides[1];
        const finding f = of(left.c_str(), right.c_str());
        INFO(left << "  " << right << "  " << f.words);
        CHECK(f.verdict != verdict::proved);
        CHECK(f.verdict != verdict::conditional);
    }
    CHECK(of("y^i = 10^{400} x^i", "y^i = 10^{401} x^i").verdict == verdict::refuted);
    CHECK(of("y^i = 9007199254740993 x^i", "y^i = 9007199254740992 x^i").verdict ==
          verdict::refuted);
    CHECK(of("y^i = 10^{-400} x^i", "y^i = 0").verdict == verdict::refuted);
}
