// How documents are taken apart: displays, macros, comments, what is quoted.
#include "check/check_report.hpp"
#include "tests/catch.hpp"
#include "tests/check/check.hpp"
#include "tests/processor_time.hpp"

namespace {

using ricci::testing::findings_in;
using ricci::testing::verdicts_in;

TEST_CASE("displays are found in LaTeX") {
    const std::string text = R"(\documentclass{article}
\newcommand{\vW}[1]{W_{#1}}
\def\half{\frac{1}{2}}
\DeclareMathOperator{\relu}{ReLU}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\begin{document}
% $$ a = b c $$ is a comment
\begin{equation}\label{eq:one} y_i = \vW{Q} x_i + \half b_i \,. \end{equation}
\begin{align*}
  h_i &= \relu(y_i), \nonumber \\
  z_i &= h_i^2 \tag{2}
\end{align*}
\be u = \sum_i z_i \ee
\[ v = u + 1, \qquad w = v^2 \quad \text{where } v > 0 \]
\begin{verbatim}
$$ not = this $$
\end{verbatim}
\begin{gather} p_i = x_i \\ q_i = 2 p_i, \quad i = 1, \ldots, n \end{gather}
\begin{multline} r = u \\ + v \end{multline}
\end{document}
)";
    CHECK(verdicts_in(text, "paper.tex") ==
          "defines defines defines defines defines defines prose defines "
          "defines defines");
}

TEST_CASE("displays are found in Markdown") {
    const std::string text =
        "---\ntitle: $$ a = b $$\n---\n"
        "```math\nx_i = a_i + b_i\n```\n"
        "```latex\n$$ c = d e $$\n```\n"
        "and `$$ f = g h $$` and $5 and $6.\n\n"
        "> $$\n> y_i = x_i^2\n> $$\n\n"
        "$$S^{ij}&#95;{\\text{masked}} = \\begin{cases} S^{ij} & \\text{if } j \\leq i \\\\\\\\ 0 "
        "& \\text{if } j > i \\end{cases}$$\n\n"
        "where $z_i = 2 y_i$ is twice as much, and if $q_i = y_i + 1$ nothing.\n";
    CHECK(verdicts_in(text) == "defines defines defines defines");
}

TEST_CASE("hostile texts end soon and in a sentence") {
    const ricci::testing::processor_time taken;
    CHECK(verdicts_in("\\newcommand{\\a}{\\a\\a}\n\\begin{equation} x = \\a \\end{equation}",
                      "p.tex") == "unreadable");
    std::string doubling = "\\newcommand{\\aa}{x x}\n";
    for (char c = 'b'; c < 'z'; ++c)
        doubling += std::string("\\newcommand{\\a") + c + "}{\\a" + static_cast<char>(c - 1) +
                    "\\a" + static_cast<char>(c - 1) + "}\n";
    CHECK(verdicts_in(doubling + "\\[ y = \\ay \\]", "p.tex") == "unreadable");
    const std::string deep(3000, '('), close(3000, ')'), braces(3000, '{'), closing(3000, '}');
    CHECK(verdicts_in("$$y = " + deep + "x" + close + "$$") == "unreadable");
    CHECK(verdicts_in("$$y = " + braces + "x" + closing + "$$") == "unreadable");
    CHECK(verdicts_in("$$y = " + std::string(500, '-') + "x$$ $$ \\frac{\\frac{ $$").size() > 0);
    std::string frac = "x";
    for (int k = 0; k < 200; ++k) frac = "\\frac{" + frac + "}{y}";
    CHECK(verdicts_in("$$z = " + frac + "$$") == "unreadable");
    findings_in(std::string(200000, '$'));
    findings_in(std::string(200000, '`'));
    findings_in("\\begin{equation}" + std::string(100000, '{'), "p.tex");
    CHECK(taken.seconds() < 20);
}

TEST_CASE("the report is a line for each equation, or JSON") {
    const std::vector<ricci::papers::paper_report> papers = {ricci::papers::check_paper(
        ricci::papers::document::of_text("a.md", "$$y = x \\cdot k$$\n"))};
    CHECK(ricci::papers::as_lines(papers, false) ==
          "a.md:1:3: defines: y, from x and k\n"
          "Symbols that no equation defines and no sentence names:\n  k (a.md:1)\n  x (a.md:1)\n1 "
          "equation: 1 defines\n");
    const std::string json = ricci::papers::as_json(papers);
    CHECK(json.find("\"verdict\": \"defines\"") != std::string::npos);
    CHECK(json.find("\"equation\": \"y = x \\\\cdot k\"") != std::string::npos);
    CHECK(json.find("\"line\": 1") != std::string::npos);
}

}  // namespace
