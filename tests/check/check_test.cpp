// What each kind of equation in a page is found to be.
#include "tests/catch.hpp"
#include "tests/check/check.hpp"

namespace {

using ricci::testing::findings_in;
using ricci::testing::verdicts_in;

const std::string attention = R"(
$$S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}$$
$$A^{ij} = \frac{\exp(S^{ij})}{\sum_{j'} \exp(S^{ij'})}$$
$$O^{ib} = A^{ij} V^{jb}$$
)";

TEST_CASE("a page is read as one program") {
    CHECK(verdicts_in(attention) == "defines defines defines");
    CHECK(verdicts_in(attention + "$$\\frac{\\partial L}{\\partial V^{mn}} = A^{im} "
                                  "\\frac{\\partial L}{\\partial O^{in}}$$") ==
          "defines defines defines proved");
    CHECK(verdicts_in(attention + "$$\\frac{\\partial L}{\\partial Q^{kl}} = \\frac{\\partial "
                                  "L}{\\partial S^{kj}} K^{jl}$$") ==
          "defines defines defines refuted");
    // the same again is proved, another meaning in another section is said to be one
    CHECK(verdicts_in(attention + "$$O^{ic} = A^{ik} V^{kc}$$") ==
          "defines defines defines proved");
    const auto again = findings_in(attention + "# Other\n$$O^{ib} = A^{ij} V^{jb} + b^b$$");
    REQUIRE(again.size() == 4);
    CHECK(again[3].verdict == ricci::papers::verdict::defines);
    CHECK(again[3].words.find("anew") != std::string::npos);
}

TEST_CASE("a chain claims that its further sides are the same") {
    CHECK(verdicts_in("$$E^{ij} = -S^{ij} = -1 \\cdot S^{ij}$$") == "proved");
    CHECK(verdicts_in("$$y_i = A_{ij} A_{jk} x_k = A_{ji} A_{jk} x_k$$") == "conditional");
    CHECK(verdicts_in("$$y_i = A_{ij} x_j = A_{ji} x_j$$") == "refuted");
    CHECK(verdicts_in("$$y_i = A_{ij} x_j = A_{ij} x_j + x_i$$") == "refuted");
    CHECK(verdicts_in("$$a_i = \\frac{e^{s_i}}{\\sum_k e^{s_k}} = \\frac{e^{s_i}}{Z}$$\n$$Z = "
                      "\\sum_j e^{s_j}$$") == "proved proved");
    // an equation that goes on in the next display
    CHECK(verdicts_in("$$y = (a + b)^2$$\n\n$$= a^2 + 2 a b + b^2$$") == "defines proved");
    CHECK(verdicts_in(
              "\\begin{align} y &= (a + b)^2 \\\\ &= a^2 + a b \\\\ &\\quad + b^2 \\end{align}",
              "p.tex") == "refuted");
    CHECK(verdicts_in("$$C^{ik} = A^{ij} B^{jk} \\quad \\Leftrightarrow \\quad C_{ik} = \\sum_j "
                      "A_{ij} B_{jk}$$") == "defines proved");
}

TEST_CASE("what nothing defines is declared and not refuted") {
    CHECK(verdicts_in("$$\\sum_j A^{ij} = 1$$") == "declares");
    CHECK(verdicts_in("$$x^2 + y^2 = r^2$$") == "declares");
    CHECK(verdicts_in("$$F = m a$$ and $$F = -k x$$") == "defines declares");
    CHECK(verdicts_in("$$\\frac{\\partial L}{\\partial x^j} = \\frac{\\partial L}{\\partial y^i} "
                      "\\frac{\\partial y^i}{\\partial x^j}$$") == "declares");
    // what the text says more of is not refuted
    CHECK(verdicts_in("where $\\beta = 1$\n$$y_i = \\beta x_i = x_i$$") == "proved");
    CHECK(verdicts_in("where $s_i \\in \\{-1, 1\\}$\n$$y_i = s_i^2 x_i = x_i$$") == "unproved");
    CHECK(verdicts_in("### Case 2: $i \\neq j$\n$$a_i = \\frac{e^{s_i}}{\\sum_k "
                      "e^{s_k}}$$\n$$\\frac{\\partial a_i}{\\partial s_j} = -a_i a_j$$") ==
          "defines unproved");
}

TEST_CASE("true equations are not refuted") {
    // a letter counts the terms of a sum
    CHECK(verdicts_in("$$\\sigma^2 = \\frac{1}{N} \\sum_{i=1}^N (x_i - \\mu)^2 = \\frac{1}{N} "
                      "\\sum_i x_i^2 - \\mu^2$$\n"
                      "where $\\mu = \\frac{1}{N} \\sum_i x_i$") == "conditional defines");
    CHECK(verdicts_in("$$c_i = \\epsilon_{ijk} a_j b_k = -\\epsilon_{ikj} a_j b_k$$") ==
          "conditional");
    CHECK(verdicts_in("$$y(x,t) = A \\sin(kx - \\omega t)$$\n$$\\frac{\\partial^2 y}{\\partial "
                      "t^2} = -\\omega^2 y$$") != "defines refuted");
    CHECK(verdicts_in("$$x(t) = v_0 t$$\n$$\\frac{dx}{dt} = v_0 + a t$$") == "defines unproved");
    CHECK(verdicts_in("$$S = -\\sum_s p_s \\ln p_s = \\frac{U - F}{T}$$") == "unproved");
    CHECK(verdicts_in("$$f(x) = x^2$$\n$$f(-x) = f(x)$$").find("refuted") == std::string::npos);
    // nor are wrong readings proved
    CHECK(verdicts_in("$$\\tau_n(-\\theta) = -\\tau_n(\\theta)$$") == "declares");
    CHECK(verdicts_in("$$a_{ij} = \\frac{e^{s_{ij}}}{\\sum_k e^{s_{ik}}}$$\n"
                      "$$\\frac{\\partial a_{ij}}{\\partial s_{mn}} = \\delta_{im} a_{ij} "
                      "(\\delta_{jn} + a_{in})$$") == "defines refuted");
}

TEST_CASE("what stands under a condition defines nothing for what follows") {
    CHECK(verdicts_in("$$y = x^2$$\n\nIf we suppose this,\n\n$$x = 3 z$$\n\nthe rest is\n\n"
                      "$$\\frac{\\partial y}{\\partial x} = 2 x$$") == "defines declares proved");
    CHECK(verdicts_in("\\begin{align} y &= x^2 + x^2 \\quad x = 3 z \\\\ y &= 2 x^2 \\end{align}",
                      "p.tex") == "defines declares proved");
}

TEST_CASE("functions that nothing defines have values, and layers belong to names") {
    CHECK(verdicts_in("$$y = \\rho(x/z) + \\rho(x/z) = 2 \\rho(x/z)$$") == "proved");
    CHECK(verdicts_in("$$y = \\rho(x) - \\rho(z) = 0$$") == "unproved");
    CHECK(verdicts_in("$$a_j^{(l)} = \\sum_k w_{jk}^{(l)} a_k^{(l-1)} + b_j^{(l)}$$") == "defines");
    CHECK(verdicts_in("$$s = \\sum_{i,j=1}^{n} A_{ij} = \\sum_j \\sum_i A_{ij}$$") == "proved");
    CHECK(
        verdicts_in("$$v = \\frac{\\Delta x}{\\Delta t}$$\n$$v = \\frac{x}{t}$$").find("proved") ==
        std::string::npos);
}

TEST_CASE("a name of two ranks is judged in neither") {
    CHECK(verdicts_in("$$y_i = A_{ij} x_j$$\n$$z_i = y_i + b_i = y_i + x_{ij} b_j$$")
              .find("refuted") == std::string::npos);
}

TEST_CASE("functions of matrices are judged") {
    // an inverse, and its sides
    CHECK(verdicts_in("$$E^{ik} = K^{ij} (K^{-1})^{jk} = \\delta^{ik}$$") == "proved");
    const std::string solved = "$$z_i = (K^{-1})_{ij} y_j$$\n";
    CHECK(verdicts_in(solved + "$$K_{ki} z_i = y_k$$") == "defines proved");
    CHECK(verdicts_in(solved + "$$K_{ik} z_i = y_k$$") == "defines conditional");
    CHECK(verdicts_in(solved + "$$K_{ki} z_i = 2 y_k$$") == "defines suspect");
    // the gradient of a determinant's logarithm, written in several ways
    for (const char* const logarithm : {"\\log\\det_{ij}(K_{ij})", "\\log \\det K",
                                        "\\ln \\det(K_{ab})", "\\operatorname{logdet}(K)"}) {
        const std::string text = std::string("$$\\ell = ") + logarithm + "$$\n" +
                                 "$$\\frac{\\partial \\ell}{\\partial K_{ij}} = ";
        INFO(text);
        CHECK(verdicts_in(text + "(K^{-1})_{ji}$$") == "defines proved");
        CHECK(verdicts_in(text + "(K^{-1})_{ij}$$") == "defines conditional");
        CHECK(verdicts_in(text + "2 (K^{-1})_{ji}$$") == "defines refuted");
    }
    // what numbers bear out and no rule proves is left open, and never wrong
    CHECK(
        verdicts_in("$$d = \\det_{ij}(A_{ik} B_{kj}) = \\det_{ij}(A_{ij}) \\det_{ij}(B_{ij})$$") ==
        "unproved");
    CHECK(verdicts_in("$$d = \\det_{ij}(A_{ij} + B_{ij}) = \\det_{ij}(A_{ij}) + "
                      "\\det_{ij}(B_{ij})$$") == "refuted");
    const std::string factor = "$$L_{ij} = \\operatorname{chol}_{ij}(K_{ij})$$\n";
    CHECK(verdicts_in(factor + "$$L_{ik} L_{jk} = K_{ij}$$") == "defines conditional");
    CHECK(verdicts_in(factor + "$$\\log \\det_{ij}(K_{ij}) = 2 \\log \\det_{ij}(L_{ij})$$") ==
          "defines unproved");
    // matrices without indices stay prose
    CHECK(verdicts_in("$$x = K^{-1} y$$") == "prose");
    CHECK(verdicts_in("$$\\ell = \\log \\det K$$") == "prose");
}

TEST_CASE("what computes nothing is called prose") {
    CHECK(verdicts_in("$$Y = X W^T$$") == "prose");
    CHECK(verdicts_in("for a matrix $W \\in \\mathbb{R}^{n \\times n}$\n$$y = W x + b$$") ==
          "prose");
    CHECK(verdicts_in("$$x_t \\leftarrow x_t + 1$$") == "prose");
    CHECK(verdicts_in("$$y = \\int_0^1 f(x) dx$$") == "prose");
    CHECK(verdicts_in("$$\\lim_{n \\to \\infty} a_n = 0$$") == "prose");
    CHECK(verdicts_in("$$Q^{hia}: \\text{per head}$$") == "prose");
    CHECK(verdicts_in("$$y = f(x_1, \\ldots, x_n)$$") == "prose");
    CHECK(verdicts_in("$$x_{t+1} = a x_t + b$$") == "prose");
    CHECK(verdicts_in("$$p(x | z) = \\frac{p(z | x) p(x)}{p(z)}$$") == "prose");
}

TEST_CASE("letters are read as a page means them") {
    // letters side by side are factors, and a function takes all that stands behind it
    CHECK(verdicts_in("$$E = mc^2$$\n\n$$E = m c c$$") == "defines proved");
    // a chain is not proved where a side of it is not read
    CHECK(verdicts_in("$$E = mc^2$$\n\n$$E = m c c = \\int_0^1 f(x) dx$$") == "defines unproved");
    CHECK(verdicts_in("$$y = 2\\sin\\theta\\cos\\theta$$") == "defines");
    CHECK(verdicts_in("$$y = \\sin 2x$$\n$$z = \\sin(2 x)$$\n$$u = y - z = 0$$") ==
          "defines defines proved");
    CHECK(verdicts_in("$$z = e^{i \\theta} = e^{i \\theta} \\cdot (-i^2)$$") == "proved");
    // what can be read in two ways is not read
    CHECK(verdicts_in("$$y = a / b c$$") == "unreadable");
    CHECK(verdicts_in("$$y = \\epx(x)$$") == "unreadable");
    // labels below a name are no indices
    CHECK(verdicts_in("$$v = \\sqrt{v_x^2 + v_y^2}$$") == "defines");
    CHECK(verdicts_in("$$x_{max} = x_{min} + w$$") == "defines");
}

TEST_CASE("worked examples are computed") {
    const std::string scores = "$$s = \\begin{pmatrix} 0.9 \\\\ 0.1 \\\\ 0.7 \\end{pmatrix}$$\n";
    CHECK(verdicts_in(scores + "$$a = \\text{softmax}(s) \\approx \\begin{pmatrix} 0.44 \\\\ 0.20 "
                               "\\\\ 0.36 \\end{pmatrix}$$") == "defines proved");
    CHECK(verdicts_in(scores + "$$a = \\text{softmax}(s) \\approx \\begin{pmatrix} 0.48 \\\\ 0.22 "
                               "\\\\ 0.30 \\end{pmatrix}$$") == "defines refuted");
    CHECK(verdicts_in("$$\\frac{4}{\\sqrt{3}} \\approx 2.31$$") == "proved");
    CHECK(verdicts_in("$$\\frac{4}{\\sqrt{3}} \\approx 2.41$$") == "refuted");
    CHECK(verdicts_in("$$2^{10} \\approx 1000$$") == "unproved");
    CHECK(verdicts_in("$$1.5 + 1 = 2.6$$") == "refuted");
    CHECK(verdicts_in("$$2 + 2 \\approx 5$$") == "refuted");
    CHECK(verdicts_in("$$\\pi \\approx 3.15$$") == "refuted");
    CHECK(verdicts_in("$$28672 \\cdot 2 / 2550 = 22$$") == "proved");
    CHECK(verdicts_in("$$2^{16} = 65,536$$") == "proved");
}

TEST_CASE("each equation has its place") {
    const auto found = findings_in("# Title\n\nText.\n\n  $$a = b + c, \\quad d = a^2$$\n");
    REQUIRE(found.size() == 2);
    CHECK(found[0].where.line == 5);
    CHECK(found[0].where.column == 5);
    CHECK(found[1].where.column == 22);
    CHECK(found[1].equation == "d = a^2");
}

}  // namespace
