// Forward mode: the equation that each rule derives, names and texts of tangents, claims about
// them.
#include <ricci/derive/tangent.hpp>

#include <ricci/detail/bind/parse_and_prove.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::contains;
using ricci::testing::is_text;
using ricci::testing::latex_of;
using ricci::testing::prints;
using ricci::testing::text_view;

/// The tangents of the outputs along directions of up to five names, as LaTeX.
template <class... Names>
constexpr ricci::detail::text_builder tangent_latex(text_view text, Names... by) {
    const auto read = ricci::notation::parse_equations(text);
    ricci::detail::text_builder out;
    if (read.mistake) return out << read.mistake.words.view();
    const text_view wrt[] = {text_view(by)...};
    const auto derived = ricci::derive::tangent(read.program, wrt, sizeof...(Names));
    if (derived.mistake) return out << derived.mistake.words.view();
    return latex_of(derived.program);
}
/// Whether the tangent of the only output along a direction of X is `expected`, and that reads back
/// as the same, with every claim in it proved.
constexpr bool moves(text_view text, text_view expected) {
    return is_text(tangent_latex(text, "X"), expected) && prints(expected, expected) &&
           !ricci::detail::parse_and_prove(expected).mistake;
}

#define DT(name, at) "\\frac{d " name at "}{d t}"

// Rules -------------------------------------------------------------------------------------------

static_assert(moves("Y^{ik} = X^{ij} W^{jk}", DT("Y", "^{ik}") " := " DT("X", "^{ij}") " W^{jk}"));
static_assert(moves("Y^{i} = X^{i} X^{i}", DT("Y", "^{i}") " := 2 X^{i} " DT("X", "^{i}")));
static_assert(moves("Y^{i} = 3 \\sin(X^{i})",
                    DT("Y", "^{i}") " := 3 \\cos(X^{i}) " DT("X", "^{i}")));
static_assert(moves("Y^{i} = \\exp(X^{i})",
                    "Y^{i} = \\exp(X^{i})\n" DT("Y", "^{i}") " := Y^{i} " DT("X", "^{i}") "\n"));
static_assert(moves("Y^{i} = (X^{i})^2", DT("Y", "^{i}") " := 2 X^{i} " DT("X", "^{i}")));
static_assert(moves("Y^{i} = X^{i} / Z^{i}",
                    DT("Y", "^{i}") " := \\frac{" DT("X", "^{i}") "}{Z^{i}}"));
static_assert(moves("Y^{i} = Z^{i} / X^{i}",
                    "Y^{i} = \\frac{Z^{i}}{X^{i}}\n" DT(
                        "Y", "^{i}") " := -\\frac{Y^{i}}{X^{i}} " DT("X", "^{i}") "\n"));
static_assert(moves("Y^{i} = \\max(X^{i}, Z^{i})",
                    DT("Y", "^{i}") " := ([Z^{i} < X^{i}] + 0.5 [X^{i} = Z^{i}]) " DT("X",
                                                                                      "^{i}")));
static_assert(moves("Y^{i} = \\operatorname{mean}_j(X^{ij})",
                    DT("Y", "^{i}") " := \\operatorname{mean}_{j}(" DT("X", "^{ij}") ")"));
static_assert(
    moves("Y^{ij} = \\operatorname{softmax}_j(X^{ij})",
          "Y^{ij} = \\operatorname{softmax}_{j}(X^{ij})\n" DT("Y", "^{ij}") " := Y^{ij} (" DT(
              "X", "^{ij}") " - \\sum_{j'} Y^{ij'} " DT("X", "^{ij'}") ")\n"));
static_assert(moves("Y^{i} = \\operatorname{logsumexp}_j(X^{ij})",
                    DT("Y", "^{i}") " := \\operatorname{softmax}_{j}(X^{ij}) " DT("X", "^{ij}")));
static_assert(moves(
    "Y^{i} = \\max_j(X^{ij})",
    "Y^{i} = \\max_{j}(X^{ij})\n" DT("Y", "^{i}") " := \\frac{[X^{ij} = Y^{i}]}{\\sum_{j'} "
                                                  "[X^{ij'} = Y^{i}]} " DT("X", "^{ij}") "\n"));
static_assert(
    moves("Y^{ij} = \\begin{cases} X^{ij} & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise} "
          "\\end{cases}",
          DT("Y", "^{ij}") " := \\begin{cases} " DT(
              "X", "^{ij}") " & \\text{if } j \\le i \\\\ 0 & \\text{otherwise} \\end{cases}"));
static_assert(moves("Y^{hia} = X^{i(ha)}", DT("Y", "^{hia}") " := " DT("X", "^{i(ha)}")));
static_assert(moves("Y^{i} = X^{i+k} W^{k}", DT("Y", "^{i}") " := " DT("X", "^{i+k}") " W^{k}"));

// Programs ----------------------------------------------------------------------------------------

static_assert(
    is_text(tangent_latex("S^{ij} = Q^{ia} K^{ja}; Y^{ib} = S^{ij} V^{jb}", "Q", "V"),
            "S^{ij} = Q^{ia} K^{ja}\n" DT("S", "^{ij}") " := " DT("Q", "^{ia}") " K^{ja}\n" DT(
                "Y", "^{ib}") " := " DT("S", "^{ij}") " V^{jb} + S^{ij} " DT("V", "^{jb}") "\n"));
// An output that does not move has a tangent too, of zeros.
static_assert(is_text(tangent_latex("Y^{i} = 2 X^{i}; Z^{i} = 3 W^{i}", "X"),
                      DT("Y", "^{i}") " := 2 " DT("X", "^{i}") "\n" DT(
                          "Z", "^{i}") " := 0, \\quad i \\in \\operatorname{axis}_{0}(W)\n"));
// An axis that b divides says nothing of b where m has no places: b + 1 would, and otherwise.
static_assert(contains(
    tangent_latex(R"(Y^{lb} = \sum_m (2 + [m \le l] X^{m(b+1)})^{P^{(bm)}} + Z^{v_{lb}})", "P"),
    R"(\quad b \in \operatorname{axis}_{1}(v))"));

static_assert(contains(tangent_latex("Y^{i} = X^{i}", "Z"), "has no tensor Z"));
static_assert(contains(tangent_latex("Y^{i} = X^{i} W^{i}; Z^{i} = 2 V^{i}", "Y"),
                       "no output depends on Y"));

// Names and texts ---------------------------------------------------------------------------------

constexpr bool is_named(text_view latex, text_view name) {
    ricci::detail::text_builder text;
    text << "Z = " << latex;
    const auto read = ricci::notation::parse_equations(text);
    return !read.mistake && read.program.find(name) != ricci::ir::none &&
           ricci::notation::canonical_name(name).view() == name;
}
static_assert(is_named("\\frac{d Y}{d t}", "d/dt Y"));
static_assert(is_named("\\frac{dY}{dt}", "d/dt Y"));
static_assert(is_named("\\frac{d W_Q}{d t'}", "d/dt' W_Q"));
static_assert(is_named("\\frac{d}{d t'} \\frac{dY}{dt}", "d/dt' d/dt Y"));
static_assert(is_named("\\frac{d}{dt} \\frac{\\partial L}{\\partial X}", "d/dt dL/dX"));
static_assert(is_named("\\frac{\\partial L}{\\partial \\frac{d X}{d t}}", "dL/d(d/dt X)"));
static_assert(ricci::notation::canonical_name("d/dt W_{Q}").view() == "d/dt W_Q");
static_assert(
    prints("Z^{i} = \\frac{dX^{i}}{dt} + \\frac{d}{dt} \\frac{\\partial L}{\\partial X^i}",
           "Z^{i} = \\frac{d X^{i}}{d t} + \\frac{d}{d t} \\frac{\\partial L}{\\partial "
           "X^{i}}\n"));
// A quotient of scalars that only looks like one.
static_assert(prints("Z = \\frac{d}{t}", "Z = \\frac{d}{t}\n"));

// Claims ------------------------------------------------------------------------------------------

constexpr bool proved(text_view text) { return !ricci::detail::parse_and_prove(text).mistake; }
static_assert(
    proved("A^{ij} = \\text{softmax}_j(S^{ij})\n"
           "\\frac{dA^{ij}}{dt} = A^{ij} (\\frac{dS^{ij}}{dt} - \\sum_k A^{ik} "
           "\\frac{dS^{ik}}{dt})"));
static_assert(
    !proved("A^{ij} = \\text{softmax}_j(S^{ij})\n"
            "\\frac{dA^{ij}}{dt} = A^{ij} \\frac{dS^{ij}}{dt}"));
static_assert(
    proved("S^{ij} = Q^{ia} K^{ja}; Y^{ib} = S^{ij} V^{jb}\n"
           "\\frac{dY^{ib}}{dt} = \\frac{d Q^{ia}}{dt} K^{ja} V^{jb}"));

}  // namespace
