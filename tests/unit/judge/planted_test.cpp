// True equations, some under an assumption, and mistakes planted into each: a sign, a factor of 2,
// an index exchanged, a transposition left out, an exponent. None that is true is refuted, and none
// that is false is proved.
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "tests/catch.hpp"

using namespace ricci::judge;

namespace {

constexpr verdict proved = verdict::proved, conditional = verdict::conditional,
                  refuted = verdict::refuted;

struct mistake {
    const char* claim;
    verdict expected = refuted;
};
struct identity {
    const char* source;
    const char* claim;
    verdict expected;
    std::vector<mistake> planted;
    std::vector<assumption> declared = {};
};

const std::vector<identity>& identities() {
    static const std::vector<identity> list = {
        // for all inputs
        {"y = A^{ij} A^{ij}",
         "y = \\sum_{i,j} (A^{ij})^2",
         proved,
         {{"y = -A^{ij} A^{ij}"},
          {"y = 2 A^{ij} A^{ij}"},
          {"y = A^{ij} A^{ji}"},
          {"y = \\sum_{i,j} (A^{ij})^3"}}},
        {"C^{ik} = A^{ij} B^{jk}\n t = C^{ii}",
         "t = B^{ij} A^{ji}",
         proved,
         {{"t = -B^{ij} A^{ji}"}, {"t = 2 B^{ij} A^{ji}"}, {"t = B^{ij} A^{ij}"}}},
        {"E = \\sum_i (y^i - W^{ij} x^j)^2",
         "\\frac{\\partial E}{\\partial W^{kl}} = -2 (y^k - W^{kj} x^j) x^l",
         proved,
         {{"\\frac{\\partial E}{\\partial W^{kl}} = 2 (y^k - W^{kj} x^j) x^l"},
          {"\\frac{\\partial E}{\\partial W^{kl}} = -(y^k - W^{kj} x^j) x^l"},
          {"\\frac{\\partial E}{\\partial W^{kl}} = -2 (y^k - W^{kj} x^j) (x^l)^2"}}},
        {"p_i = \\operatorname{softmax}_i(s_i)",
         "\\frac{\\partial p_i}{\\partial s_j} = p_i (\\delta_{ij} - p_j)",
         proved,
         {{"\\frac{\\partial p_i}{\\partial s_j} = p_i (\\delta_{ij} + p_j)"},
          {"\\frac{\\partial p_i}{\\partial s_j} = p_i (\\delta_{ij} - p_i)"},
          {"\\frac{\\partial p_i}{\\partial s_j} = 2 p_i (\\delta_{ij} - p_j)"},
          {"\\frac{\\partial p_i}{\\partial s_j} = p_i (\\delta_{ij} - p_j^2)"}}},
        {"p^i = \\operatorname{softmax}_i(s^i)\n L = -\\sum_i t^i \\log(p^i)",
         "\\frac{\\partial L}{\\partial s^i} = p^i - t^i",
         conditional,  // targets sum to 1
         {{"\\frac{\\partial L}{\\partial s^i} = p^i + t^i"},
          {"\\frac{\\partial L}{\\partial s^i} = 2 p^i - t^i"},
          {"\\frac{\\partial L}{\\partial s^i} = t^i - p^i"}}},
        {"s = \\sigma(x)",
         "\\frac{\\partial s}{\\partial x} = s (1 - s)",
         proved,
         {{"\\frac{\\partial s}{\\partial x} = s (1 + s)"},
          {"\\frac{\\partial s}{\\partial x} = s (s - 1)"},
          {"\\frac{\\partial s}{\\partial x} = s^2 (1 - s)"}}},
        // a symmetric matrix
        {"f = x^i A^{ij} x^j",
         "\\frac{\\partial f}{\\partial x^k} = 2 A^{kj} x^j",
         conditional,
         {{"\\frac{\\partial f}{\\partial x^k} = -2 A^{kj} x^j"},
          {"\\frac{\\partial f}{\\partial x^k} = A^{kj} x^j"},
          {"\\frac{\\partial f}{\\partial x^k} = 2 A^{kj} (x^j)^2"}}},
        {"q = -\\frac{1}{2} (x_i - \\mu_i) P_{ij} (x_j - \\mu_j)",
         "\\frac{\\partial q}{\\partial \\mu_k} = P_{kj} (x_j - \\mu_j)",
         conditional,
         {{"\\frac{\\partial q}{\\partial \\mu_k} = -P_{kj} (x_j - \\mu_j)"},
          {"\\frac{\\partial q}{\\partial \\mu_k} = 2 P_{kj} (x_j - \\mu_j)"},
          {"\\frac{\\partial q}{\\partial \\mu_k} = P_{kj} (x_j + \\mu_j)"}}},
        // an antisymmetric one
        {"y = F^{ij} x^i x^j", "y = 0", conditional, {{"y = x^i x^i"}}},
        // an orthogonal one
        {"z^i = Q^{ij} x^j\n y = z^i z^i",
         "y = x^i x^i",
         conditional,
         {{"y = -x^i x^i"}, {"y = 2 x^i x^i"}, {"y = \\sum_i (x^i)^3"}}},
        {"B^{il} = Q^{ij} A^{jk} Q^{lk}\n t = B^{ii}",
         "t = A^{ii}",
         conditional,
         {{"t = -A^{ii}"}, {"t = 2 A^{ii}"}, {"t = A^{ij} A^{ji}"}}},
        // unit length
        {"P^{ij} = v^i v^j\n S^{ik} = P^{ij} P^{jk}",
         "S^{ik} = P^{ik}",
         conditional,
         {{"S^{ik} = -P^{ik}"}, {"S^{ik} = 2 P^{ik}"}}},
        {"w^i = x^i - v^i v^j x^j\n d = v^i w^i", "d = 0", conditional, {{"d = v^i x^i"}}},
        // a distribution
        {"m = \\sum_i p_i x_i\n V = \\sum_i p_i (x_i - m)^2",
         "V = \\sum_i p_i x_i^2 - m^2",
         conditional,
         {{"V = \\sum_i p_i x_i^2 + m^2"},
          {"V = \\sum_i p_i x_i^2 - 2 m^2"},
          {"V = \\sum_i p_i x_i - m^2"},
          {"V = 2 \\sum_i p_i x_i^2 - m^2"}}},
        {"y^i = \\sum_j A^{ij} (x^j + c)",
         "y^i = \\sum_j A^{ij} x^j + c",
         conditional,
         {{"y^i = \\sum_j A^{ij} x^j - c"}, {"y^i = \\sum_j A^{ij} x^j + 2 c"}}},
        // a positive number
        {"r = \\sqrt{m^2 (x_i x_i)}",
         "r = m \\sqrt{x_i x_i}",
         conditional,
         {{"r = -m \\sqrt{x_i x_i}"}, {"r = m^2 \\sqrt{x_i x_i}"}, {"r = m \\cdot (x_i x_i)"}}},
        {"E = \\sqrt{p^2 c^2 + m^2 c^4}",
         "E = c \\sqrt{p^2 + m^2 c^2}",
         conditional,
         {{"E = c \\sqrt{p^2 - m^2 c^2}"},
          {"E = c \\sqrt{p^2 + m^2 c^4}"},
          {"E = c^2 \\sqrt{p^2 + m^2 c^2}"}}},
        // the number of terms
        {"m = \\frac{1}{n} \\sum_i x_i\n V = \\frac{1}{n} \\sum_i (x_i - m)^2",
         "V = \\frac{1}{n} \\sum_i x_i^2 - m^2",
         conditional,
         {{"V = \\frac{1}{n} \\sum_i x_i^2 + m^2"},
          {"V = \\frac{1}{n} \\sum_i x_i^2 - 2 m^2"},
          {"V = \\frac{2}{n} \\sum_i x_i^2 - m^2"}}},
        // declared of two names at once
        {"y = \\sum_{i,j} p_i q_j (x_i - w_j)",
         "y = \\sum_i p_i x_i - \\sum_j q_j w_j",
         conditional,
         {{"y = \\sum_i p_i x_i + \\sum_j q_j w_j"}, {"y = 2 \\sum_i p_i x_i - \\sum_j q_j w_j"}},
         {{"p", property::sums_to_one}, {"q", property::sums_to_one}}},
    };
    return list;
}

}  // namespace

TEST_CASE("true equations and mistakes planted into them") {
    int planted = 0, found = 0, of_refuted = 0;
    for (const identity& one : identities()) {
        request asked;
        asked.source = one.source;
        asked.declared = one.declared;
        asked.claims = one.claim;
        const finding right = judge(asked);
        {
            INFO(one.source << "\n" << one.claim << ": " << right.words);
            CHECK(right.readable);
            CHECK(right.verdict == one.expected);
        }
        for (const mistake& m : one.planted) {
            asked.claims = m.claim;
            const finding wrong = judge(asked);
            INFO(one.source << "\n" << m.claim << ": " << wrong.words);
            CHECK(wrong.readable);
            CHECK(wrong.verdict == m.expected);
            ++planted;
            found += wrong.verdict == refuted || wrong.verdict == conditional;
            of_refuted += wrong.verdict == refuted;
        }
    }
    CHECK(5 * found >= 4 * planted);
    CHECK(2 * of_refuted >= planted);
}
