// Claims as papers of several fields write them: true ones are not refuted, slips are not proved.
#include "tests/catch.hpp"
#include "tests/check/check.hpp"

namespace {

using ricci::testing::findings_in;
using ricci::testing::verdicts_in;

std::string words_of_last(const std::string& text) { return findings_in(text).back().words; }

TEST_CASE("letters above a name that are numbers are exponents") {
    const std::string output = "$$Y = A K^{\\alpha} L^{1-\\alpha}$$\n";
    CHECK(words_of_last(output) == "Y, from A, K, \\alpha and L");
    CHECK(verdicts_in(output + "$$\\frac{\\partial Y}{\\partial K} = \\alpha A K^{\\alpha-1} "
                               "L^{1-\\alpha} = \\alpha \\frac{Y}{K}$$") == "defines proved");
    CHECK(verdicts_in(output + "$$\\frac{\\partial Y}{\\partial L} = \\alpha \\frac{Y}{L}$$") ==
          "defines refuted");
    CHECK(verdicts_in(output + "$$K \\frac{\\partial Y}{\\partial K} + L \\frac{\\partial "
                               "Y}{\\partial L} = Y$$") == "defines proved");
    // nothing but that it stands once says that \beta is one
    CHECK(verdicts_in("$$U = x^\\alpha y^\\beta$$\n$$\\frac{\\partial U}{\\partial x} = \\alpha "
                      "x^{\\alpha-1} y^\\beta$$") == "defines proved");
    CHECK(verdicts_in("$$u(c) = \\frac{c^{1-\\gamma}}{1-\\gamma}$$\n$$u'(c) = c^{-\\gamma}$$") ==
          "defines proved");
    CHECK(verdicts_in("$$u(c) = \\frac{c^{1-\\gamma}}{1-\\gamma}$$\n$$u'(c) = c^{\\gamma}$$") ==
          "defines refuted");
    const std::string elastic =
        "$$Q = (a K^\\rho + b L^\\rho)^{1/\\rho}$$\n"
        "$$\\frac{\\partial Q}{\\partial K} = a K^{\\rho-1} ";
    CHECK(verdicts_in(elastic + "Q^{1-\\rho}$$") == "defines proved");
    CHECK(verdicts_in(elastic + "Q^{\\rho-1}$$") == "defines refuted");
    // below a name it is an index everywhere
    CHECK(verdicts_in("$$E = p^\\alpha p_\\alpha$$\n$$x = \\alpha y$$").find("prose") ==
          std::string::npos);
    CHECK(words_of_last("$$E = p^\\alpha p_\\alpha$$") == "E, from p_upper and p_lower");
}

TEST_CASE("an expression is differentiated where it stands") {
    const std::string by = "$$\\frac{\\partial}{\\partial x_i} ";
    CHECK(verdicts_in(by + "\\log \\sum_j e^{x_j} = \\frac{e^{x_i}}{\\sum_j e^{x_j}}$$") ==
          "proved");
    CHECK(verdicts_in(by + "\\sum_j x_j^2 = 2 x_i$$") == "proved");
    CHECK(verdicts_in(by + "\\sum_j x_j^2 = x_i$$") == "refuted");
    CHECK(verdicts_in("$$\\frac{\\partial \\sum_j x_j^2}{\\partial x_i} = 2 x_i$$") == "proved");
    CHECK(verdicts_in("$$\\frac{\\partial}{\\partial W_{ij}} \\sum_k \\Bigl( \\sum_l W_{kl} x_l - "
                      "y_k \\Bigr)^2 = 2 \\Bigl( \\sum_l W_{il} x_l - y_i \\Bigr) x_j$$") ==
          "proved");
    CHECK(verdicts_in("$$\\frac{d}{dx} \\tanh x = 1 - \\tanh^2 x$$") == "proved");
    CHECK(verdicts_in("$$\\frac{d}{dx} \\tanh x = 1 + \\tanh^2 x$$") == "refuted");
    CHECK(verdicts_in("$$\\frac{\\partial}{\\partial K_{ij}} \\log \\det K = (K^{-1})_{ji}$$") ==
          "proved");
    // with what else depends on x the whole derivative has more terms
    CHECK(verdicts_in("$$\\frac{d}{dx} (x y) = y$$").find("refuted") == std::string::npos);
    CHECK(verdicts_in("$$\\frac{\\partial}{\\partial x} (x^2) x = 3 x^2$$") == "unreadable");
}

TEST_CASE("second derivatives are judged") {
    const std::string potential =
        "$$V = \\mu \\phi_a \\phi_a + \\frac{\\lambda}{4} (\\phi_a \\phi_a)^2$$\n"
        "$$\\frac{\\partial^2 V}{\\partial \\phi_b \\partial \\phi_c} = \\delta_{bc} (2 \\mu + "
        "\\lambda \\phi_a \\phi_a) + ";
    CHECK(verdicts_in(potential + "2 \\lambda \\phi_b \\phi_c$$") == "defines proved");
    CHECK(verdicts_in(potential + "\\lambda \\phi_b \\phi_c$$") == "defines refuted");
}

TEST_CASE("what is made of a name is no definition of it") {
    const std::string parts =
        "$$S_{ij} = \\frac12 (B_{ij} + B_{ji})$$\n$$A_{ij} = \\frac12 (B_{ij} - B_{ji})$$\n";
    CHECK(verdicts_in(parts + "$$B_{ij} = S_{ij} + A_{ij}$$\n$$S_{ij} A_{ij} = 0$$\n"
                              "$$B_{ij} B_{ij} = S_{ij} S_{ij} + A_{ij} A_{ij}$$\n"
                              "$$S_{ij} = S_{ji}$$\n$$A_{ij} = -A_{ji}$$") ==
          "defines defines proved proved proved proved proved");
    CHECK(verdicts_in(parts + "$$B_{ij} = S_{ij} - A_{ij}$$") == "defines defines conditional");
    // one is the other with its sign turned, whatever B is
    CHECK(verdicts_in(parts + "$$A_{ij} = A_{ji}$$") == "defines defines refuted");
    const std::string stress =
        "$$\\sigma_{ij} = \\lambda \\delta_{ij} e_{kk} + 2 \\mu e_{ij}$$\n"
        "$$s_{ij} = \\sigma_{ij} - \\frac{1}{3} \\sigma_{kk} \\delta_{ij}$$\n"
        "$$p = -\\frac{1}{3} \\sigma_{kk}$$\n";
    CHECK(verdicts_in(stress + "$$\\sigma_{ij} = s_{ij} - p \\delta_{ij}$$") ==
          "defines defines defines proved");
    CHECK(verdicts_in(stress + "$$\\sigma_{ij} = s_{ij} + p \\delta_{ij}$$") ==
          "defines defines defines conditional");
}

TEST_CASE("identities of elementary functions are proved") {
    for (const char* const identity :
         {"\\sin^2 x + \\cos^2 x = 1", "\\sin 2x = 2 \\sin x \\cos x",
          "\\cos(a + b) = \\cos a \\cos b - \\sin a \\sin b", "\\cosh^2 x - \\sinh^2 x = 1",
          "1 + \\tan^2 x = \\frac{1}{\\cos^2 x}", "\\tanh x = \\frac{1 - e^{-2x}}{1 + e^{-2x}}",
          "\\cos 3x = 4 \\cos^3 x - 3 \\cos x",
          "\\log \\sum_i e^{x_i} = m + \\log \\sum_i e^{x_i - m}", "\\log(a b) = \\log a + \\log b",
          "\\frac{e^{z_i - c}}{\\sum_j e^{z_j - c}} = \\frac{e^{z_i}}{\\sum_j e^{z_j}}"}) {
        INFO(identity);
        CHECK(verdicts_in("$$" + std::string(identity) + "$$") == "proved");
    }
    for (const char* const slip :
         {"\\sin 2x = \\sin x \\cos x", "\\cos(a + b) = \\cos a \\cos b + \\sin a \\sin b",
          "\\cosh^2 x + \\sinh^2 x = 1", "\\cos 3x = 4 \\cos^3 x + 3 \\cos x",
          "\\log \\sum_i e^{x_i} = m - \\log \\sum_i e^{x_i - m}"}) {
        INFO(slip);
        CHECK(verdicts_in("$$" + std::string(slip) + "$$") == "declares");
    }
    const std::string logistic = "$$\\sigma(x) = \\frac{1}{1 + e^{-x}}$$\n";
    CHECK(verdicts_in(logistic + "$$\\sigma(-x) = 1 - \\sigma(x)$$") == "defines proved");
    CHECK(verdicts_in(logistic + "$$\\sigma(-x) = 1 + \\sigma(x)$$") == "defines unproved");
    CHECK(verdicts_in("$$\\ell = y \\log p + (1-y) \\log (1-p)$$\n$$\\frac{\\partial "
                      "\\ell}{\\partial p} = \\frac{y - p}{p (1-p)}$$") == "defines proved");
}

TEST_CASE("an equation between free names is a condition, unless the text says for all") {
    const std::string slip = "$$(a - b)(a + b) = a^2 + b^2$$";
    CHECK(verdicts_in(slip) == "declares");
    CHECK(words_of_last(slip).find("or a mistake: with a = ") != std::string::npos);
    CHECK(verdicts_in("For all $a$ and $b$,\n" + slip) == "refuted");
    CHECK(verdicts_in("For all $a, b \\in \\mathbb{R}$ we have\n" + slip) == "refuted");
    // not of all names, or not of all values
    CHECK(verdicts_in("For all $a$,\n" + slip) == "declares");
    CHECK(verdicts_in("For all orthogonal $a$ and $b$,\n" + slip) == "declares");
    CHECK(verdicts_in("For all $a > 0$ and $b$,\n" + slip) == "declares");
    // projections and their like
    CHECK(verdicts_in("$$P^2 = P$$") == "declares");
    CHECK(verdicts_in("$$H = X (X^\\top X)^{-1} X^\\top, \\qquad H^2 = H$$") == "prose declares");
    CHECK(verdicts_in("$$Z = \\int_0^1 f(x) dx$$\n$$F = Z^2 = Z$$") == "prose suspect");
    CHECK(verdicts_in("$$\\pi_i P_{ij} = \\pi_j P_{ji}$$") == "declares");
}

TEST_CASE("the permutation symbol is known") {
    const std::string named = "With the Levi-Civita symbol $\\epsilon_{ijk}$,\n";
    const std::string identity =
        "$$\\epsilon_{ijk} \\epsilon_{ilm} = \\delta_{jl} \\delta_{km} - \\delta_{jm} "
        "\\delta_{kl}$$";
    CHECK(verdicts_in(identity) == "conditional");
    CHECK(verdicts_in(named + identity) == "conditional");
    CHECK(verdicts_in(named + "$$\\epsilon_{ijk} \\epsilon_{ijl} = 2 \\delta_{kl}$$") ==
          "conditional");
    CHECK(verdicts_in(named + "$$\\epsilon_{ijk} \\epsilon_{ijl} = \\delta_{kl}$$") == "refuted");
    CHECK(verdicts_in("$$\\epsilon_{ijk} \\epsilon_{ijl} = \\delta_{kl}$$") == "declares");
    CHECK(verdicts_in(named + "$$\\epsilon_{ijk} a_j \\epsilon_{klm} b_l c_m = b_i a_j c_j - c_i "
                              "a_j b_j$$") == "conditional");
}

TEST_CASE("matrices without indices are told how to be written") {
    const auto says = [](const std::string& text, const char* part) {
        INFO(text);
        CHECK(verdicts_in(text) == "prose");
        CHECK(words_of_last(text).find(part) != std::string::npos);
    };
    says("$$\\operatorname{tr}(AB) = \\operatorname{tr}(BA)$$", "A_{ii}");
    says("$$(AB)^T = B^T A^T$$", "A_{ij} B_{jk}");
    says("$$C = A^T$$", "A_{ji}");
    says("$$\\det(AB) = \\det A \\det B$$", "\\det_{ij}(K_{ij})");
    says("$$K^{-1} K = I$$", "(K^{-1})_{ij} y_j");
}

TEST_CASE("names of other sections with other indices are other names") {
    CHECK(verdicts_in("# One\n$$v = \\frac{1}{d} \\sum_i x_i^2$$\n# Two\n$$y = \\sum_i v_i h_i$$\n"
                      "$$\\frac{\\partial y}{\\partial v_i} = h_i$$") == "defines defines proved");
    // what a section says again of a name is its own
    CHECK(verdicts_in("# One\n$$s_i = a x_i$$\n# Two\n$$s_i = a x_i$$\n$$W = s_i x_i = 2 a x_i "
                      "x_i$$") == "defines proved refuted");
}

TEST_CASE("what equations define is judged beside a number") {
    const std::string factor = "$$\\gamma = \\frac{1}{\\sqrt{1 - v^2}}$$\n";
    CHECK(verdicts_in(factor + "$$\\gamma^2 (1 - v^2) = 1$$") == "defines proved");
    CHECK(
        verdicts_in("$$V = \\frac{\\lambda}{4!} \\phi^4$$\n$$\\frac{\\partial V}{\\partial \\phi} "
                    "= \\frac{\\lambda}{3!} \\phi^3$$") == "defines proved");
}

}  // namespace
