// Batched programs are those that are written with the index by hand; what is refused.
#include <ricci/derive/batch.hpp>

#include <ricci/batch.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ricci.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::literals;
using ricci::testing::contains;
using ricci::testing::is_text;
using ricci::testing::latex_of;
using ricci::testing::text_view;

constexpr ricci::derive::derived batched(const ricci::ir::program_view& p, text_view index,
                                         text_view a, text_view b = {}, text_view c = {}) {
    const text_view of[] = {a, b, c};
    return ricci::derive::batch(p, of, 1 + (b.size > 0) + (c.size > 0), index);
}
constexpr ricci::detail::text_builder batched_latex(text_view text, text_view a, text_view b = {},
                                                    text_view c = {}) {
    const auto read = ricci::notation::parse_equations(text);
    ricci::detail::text_builder out;
    if (read.mistake) return out << read.mistake.words.view();
    const auto made = batched(read.program, "b", a, b, c);
    if (made.mistake) return out << made.mistake.words.view();
    return latex_of(made.program);
}
/// Whether the text batched over b is the program that `by_hand` is, and prints as text that is
/// read as the same.
constexpr bool batches(text_view text, text_view by_hand, text_view a, text_view b = {},
                       text_view c = {}) {
    const auto written = ricci::notation::parse_equations(by_hand);
    if (written.mistake) throw "the text written by hand has a mistake";
    const ricci::detail::text_builder made = batched_latex(text, a, b, c);
    const auto again = ricci::notation::parse_equations(made);
    return is_text(made, latex_of(written.program)) && !again.mistake &&
           is_text(latex_of(again.program), made);
}
constexpr bool refuses(text_view text, text_view index, text_view of, text_view words) {
    const auto read = ricci::notation::parse_equations(text);
    if (read.mistake) throw "a text has a mistake";
    return is_text(batched(read.program, index, of).mistake.words, words);
}

// Expressions -------------------------------------------------------------------------------------

static_assert(batches("Y^{ik} = X^{ij} W^{jk}", "Y^{bik} = X^{bij} W^{jk}", "X"));
static_assert(batches("Y^{ik} = X^{ij} W^{jk}", "Y^{bik} = X^{ij} W^{bjk}", "W"));
static_assert(batches("Y^{ik} = X^{ij} W^{jk}", "Y^{bik} = X^{bij} W^{bjk}", "X", "W"));
static_assert(batches("Y^{i} = X^{i} + \\beta^{i}", "Y^{bi} = X^{bi} + \\beta^{i}", "X"));
static_assert(batches("Y^{i} = X^{i} + b^{i}", "Y^{bi} = X^{bi} + b^{i}", "X"));
static_assert(batches("Y^{i} = \\beta X^{i}", "Y^{bi} = \\beta^{b} X^{i}", "\\beta"));
// the index stays outside of every sum, said or implied
static_assert(batches("L = X^i X^i", "L^b = X^{bi} X^{bi}", "X"));
static_assert(batches("L = \\sum_{ij} X^{ij}", "L^b = \\sum_{ij} X^{bij}", "X"));
static_assert(batches("L = (X^i v^i)^2 + \\exp(X^i v^i)",
                      "L^b = (X^{bi} v^i)^2 + \\exp(X^{bi} v^i)", "X"));
static_assert(batches("L = (\\sum_i X^i) (\\sum_i X^i)", "L^b = (\\sum_i X^{bi}) (\\sum_i X^{bi})",
                      "X"));
static_assert(batches("t = X^{ii}", "t^b = X^{bii}", "X"));
static_assert(batches("Y^i = \\sum_{j \\le i} X^j", "Y^{bi} = \\sum_{j \\le i} X^{bj}", "X"));
static_assert(batches("Y = \\prod_i X^i", "Y^b = \\prod_i X^{bi}", "X"));
static_assert(batches("n = \\lVert X^{ia} - Z^{ia} \\rVert",
                      "n^b = \\lVert X^{bia} - Z^{ia} \\rVert_{ia}", "X"));
static_assert(batches(
    "A^{ij} = \\operatorname{softmax}_j(S^{ij}); m^i = \\max_j(S^{ij}); "
    "l^i = \\operatorname{logsumexp}_j(S^{ij}); a = \\operatorname{mean}_{ij}(S^{ij})",
    "A^{bij} = \\operatorname{softmax}_j(S^{bij}); m^{bi} = \\max_j(S^{bij}); "
    "l^{bi} = \\operatorname{logsumexp}_j(S^{bij}); a^b = \\operatorname{mean}_{ij}(S^{bij})",
    "S"));
static_assert(batches("A^{ij} = \\frac{\\exp(S^{ij})}{\\sum_k \\exp(S^{ik})}",
                      "A^{bij} = \\frac{\\exp(S^{bij})}{\\sum_k \\exp(S^{bik})}", "S"));
static_assert(
    batches("Y^{ia} = \\frac{X^{ia}}{\\sqrt{\\operatorname{mean}_c (X^{ic} X^{ic}) + \\epsilon}}",
            "Y^{bia} = \\frac{X^{bia}}{\\sqrt{\\operatorname{mean}_c (X^{bic} X^{bic}) + "
            "\\epsilon}}",
            "X"));
static_assert(batches("Y^{ik} = A^i_j B^j_k", "Y^{bik} = A^{bi}_j B^j_k", "A"));
static_assert(batches("\\phi(x) = \\operatorname{elu}(x) + 1; Y^{ia} = \\phi(X^{ia})",
                      "\\phi(x) = \\operatorname{elu}(x) + 1; Y^{bia} = \\phi(X^{bia})", "X"));

// Conditions and cases
static_assert(batches("Y^{ij} = [m^{ij}] X^{ij} + [j \\le i] Z^{ij}",
                      "Y^{bij} = [m^{bij}] X^{ij} + [j \\le i] Z^{ij}", "m"));
static_assert(
    batches("M^{ij} = \\begin{cases} 0 & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise} "
            "\\end{cases}\nS^{ij} = X^{ij} + M^{ij}",
            "M^{ij} = \\begin{cases} 0 & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise} "
            "\\end{cases}\nS^{bij} = X^{bij} + M^{ij}",
            "X"));
static_assert(batches(
    "Y^i = \\begin{cases} X^i & \\text{if } X^i < c \\\\ c & \\text{otherwise} \\end{cases}",
    "Y^{bi} = \\begin{cases} X^{bi} & \\text{if } X^{bi} < c \\\\ c & "
    "\\text{otherwise} \\end{cases}",
    "X"));

// Places: gathered, fixed, computed, merged
static_assert(batches("Y^{ia} = E^{t_i a}", "Y^{bia} = E^{t_{b i} a}", "t"));
static_assert(batches("Y^{ia} = E^{t_i a}", "Y^{bia} = E^{b t_i a}", "E"));
static_assert(batches("Y^{ia} = E^{t_i a}", "Y^{bia} = E^{b t_{b i} a}", "E", "t"));
static_assert(batches("L = -\\operatorname{mean}_i(\\log(P^{i y_i}))",
                      "L^b = -\\operatorname{mean}_i(\\log(P^{b i y_{b i}}))", "P", "y"));
static_assert(batches("Y^a = X^{0a} + X^{1a}", "Y^{ba} = X^{b0a} + X^{b1a}", "X"));
static_assert(batches("Y^{i} = X^{i+k} w^k", "Y^{bi} = X^{b,i+k} w^k", "X"));
static_assert(batches("S^{ij} = Q^{ia} R^{(i-j)a}", "S^{bij} = Q^{bia} R^{(i-j)a}", "Q"));
static_assert(batches("Y^{ij} = [m^j] \\exp(-c |i - j|) X^j",
                      "Y^{bij} = [m^j] \\exp(-c |i - j|) X^{bj}", "X"));
static_assert(batches("Q^{hia} = P^{i(ha)}; Y^{i(hc)} = Q^{hic}",
                      "Q^{bhia} = P^{bi(ha)}; Y^{bi(hc)} = Q^{bhic}", "P"));
static_assert(
    batches("P^{p,2a} = \\sin(p w^a); P^{p,2a+1} = \\cos(p w^a); Y^{pc} = X^{pc} + P^{pc}",
            "P^{p,2a} = \\sin(p w^a); P^{p,2a+1} = \\cos(p w^a); Y^{bpc} = X^{bpc} + P^{pc}", "X"));
static_assert(batches("R^{0i} = X^i; R^{1i} = -X^i", "R^{b0i} = X^{bi}; R^{b1i} = -X^{bi}", "X"));

// Where heights tell tensors apart, their names do.
static_assert(batches("w_a = g_{ac} v^c; s = w_a v^a + g^{ac} u_a u_c",
                      "w_{ba} = g_{ac} v^{bc}; s^b = w_{ba} v^{ba} + g^{ac} u_a u_c", "v"));

// Programs ----------------------------------------------------------------------------------------

static_assert(batches(R"(
    Q^{hia} = X^{ic} W_Q^{hca}
    K^{hja} = X^{jc} W_K^{hca}
    V^{hjc} = X^{jd} W_V^{hdc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja} - \infty \cdot [m^{ij} < 1]
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd})",
                      R"(
    Q^{bhia} = X^{bic} W_Q^{hca}
    K^{bhja} = X^{bjc} W_K^{hca}
    V^{bhjc} = X^{bjd} W_V^{hdc}
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja} - \infty \cdot [m^{bij} < 1]
    A^{bhij} = \frac{\exp(S^{bhij})}{\sum_{j'} \exp(S^{bhij'})}
    O^{bhic} = A^{bhij} V^{bhjc}
    Y^{bid}  = O^{bhic} W_O^{hcd})",
                      "X", "m"));
// what does not depend on the input stays as it is, and claims are left out
static_assert(batches("B^{ij} = U^{ik} U^{jk}; Y^i = B^{ij} X^j = U^{ik} U^{jk} X^j",
                      "B^{ij} = U^{ik} U^{jk}; Y^{bi} = B^{ij} X^{bj}", "X"));

// Derivatives -------------------------------------------------------------------------------------

/// The program of `text`, batched and then differentiated.
constexpr bool derives_batched(text_view text, text_view by_hand, text_view of, text_view by) {
    const auto read = ricci::notation::parse_equations(text);
    const auto made = batched(read.program, "b", "X");
    const text_view wrt[] = {by};
    const auto derived = ricci::derive::gradient(made.program, {of, wrt, 1, false});
    const auto written = ricci::notation::parse_equations(by_hand);
    const auto expected = ricci::derive::gradient(written.program, {of, wrt, 1, false});
    return !derived.mistake && is_text(latex_of(derived.program), latex_of(expected.program));
}
static_assert(derives_batched("Y^{ik} = \\tanh(X^{ij} W^{jk})", "Y^{bik} = \\tanh(X^{bij} W^{jk})",
                              "Y", "W"));
static_assert(derives_batched("Y^{ik} = \\tanh(X^{ij} W^{jk})", "Y^{bik} = \\tanh(X^{bij} W^{jk})",
                              "Y", "X"));
static_assert(derives_batched("l = (X^i w^i - y)^2", "l^b = (X^{bi} w^i - y)^2", "l", "w"));

/// A gradient of Y, batched.
constexpr ricci::detail::text_builder batched_gradient(text_view text, text_view by, text_view a,
                                                       text_view b) {
    const auto read = ricci::notation::parse_equations(text);
    const text_view wrt[] = {by};
    const auto derived = ricci::derive::gradient(read.program, {"Y", wrt, 1, false});
    const auto made = batched(derived.program, "b", a, b);
    ricci::detail::text_builder out;
    if (made.mistake) return out << made.mistake.words.view();
    return latex_of(made.program);
}
static_assert(
    is_text(batched_gradient("Y^{ik} = X^{ij} W^{jk}", "X", "dL/dY", "X"),
            "\\frac{\\partial L}{\\partial X^{bij}} := \\frac{\\partial L}{\\partial Y^{bik}} "
            "W^{jk}"));
static_assert(
    is_text(batched_gradient("Y^{ik} = \\tanh(X^{ij} W^{jk})", "X", "X", {}),
            "Y^{bik} = \\tanh(\\sum_{j} X^{bij} W^{jk})\n"
            "\\frac{\\partial L}{\\partial X^{bij}} := \\frac{\\partial L}{\\partial Y^{bik}} "
            "(1 - (Y^{bik})^{2}) W^{jk}\n"));
// by weights that many share: one loss for each
static_assert(is_text(batched_gradient("Y^{ik} = X^{ij} W^{jk}", "W", "dL/dY", "X"),
                      "\\frac{\\partial L^{b}}{\\partial W^{jk}} := X^{bij} "
                      "\\frac{\\partial L}{\\partial Y^{bik}}"));

constexpr ricci::detail::text_builder batched_tangent(text_view text, text_view a, text_view b) {
    const auto read = ricci::notation::parse_equations(text);
    const text_view wrt[] = {"X"};
    const auto derived = ricci::derive::tangent(read.program, wrt, 1);
    const auto made = batched(derived.program, "b", a, b);
    ricci::detail::text_builder out;
    if (made.mistake) return out << made.mistake.words.view();
    return latex_of(made.program);
}
static_assert(is_text(batched_tangent("Y^{ik} = X^{ij} W^{jk}", "d/dt X", {}),
                      "\\frac{d Y^{bik}}{d t} := \\frac{d X^{bij}}{d t} W^{jk}"));
static_assert(is_text(batched_tangent("Y^{i} = \\exp(X^{i})", "X", {}),
                      "Y^{bi} = \\exp(X^{bi})\n"
                      "\\frac{d Y^{bi}}{d t} := Y^{bi} \\frac{d X^{bi}}{d t}\n"));
static_assert(is_text(batched_tangent("Y^{i} = \\exp(X^{i})", "d/dt X", {}),
                      "d/dt X has the axes of X; name X too"));

// What is refused ---------------------------------------------------------------------------------

static_assert(refuses("Y^{ia} = X^{ib} W^{ba}", "b", "X",
                      "the equations have an index b already; write another, as n"));
static_assert(refuses("Y^{ia} = X^{ic} W^{ca}", "c'", "X",
                      "the equations have an index c already; write another, as b"));
static_assert(
    refuses("Y^{i} = n X^{i}", "n", "X",
            "the equations have a number n, which an index would hide; write another, as b"));

constexpr bool is_no_index(text_view index, text_view words) {
    const auto read = ricci::notation::parse_equations("Y^{i} = X^{i}");
    const text_view of[] = {"X"};
    return is_text(ricci::detail::batched_program(read.program, of, 1, index).mistake.words, words);
}
static_assert(is_no_index("b1",
                          "an index is a letter, as b, or a Greek one, as \\beta; b1 is none"));
static_assert(is_no_index("",
                          "no index is named; write a letter, as b, or a Greek one, as \\beta"));
static_assert(is_no_index("\\bta",
                          "an index is a letter, as b, or a Greek one, as \\beta; \\bta is none"));
static_assert(is_no_index("\\beta'", ""));
static_assert(refuses("Y^{ik} = X^{ij} W^{jk}", "b", "Z",
                      "the equations take no tensor Z; they take X, W"));
static_assert(refuses("Y^{ik} = X^{ij} W_Q^{jk}", "b", "W_K",
                      "the equations take no tensor W_K; did you mean W_Q?"));
static_assert(
    refuses("Y^{i} = \\exp(X^{i}); Z^i = Y^i", "b", "Y",
            "the equations take no tensor Y: they compute it, and it gets the index if it "
            "depends on an input that does"));

// As types ----------------------------------------------------------------------------------------

constexpr auto one = R"(S^{ij} = Q^{ia} K^{ja}; A^{ij} = \operatorname{softmax}_j(S^{ij}))"_eq;
constexpr auto many = ricci::batch(one, "b"_i, ricci::of("Q"_t, "K"_t));
static_assert(many.states(R"(S^{bij} = Q^{bia} K^{bja})"));
static_assert(
    is_text(latex_of(ricci::batch(one.keep("S"_t), "\\beta"_i, ricci::of("Q"_t)).program()),
            R"(S^{\beta ij} = Q^{\beta ia} K^{ja}
S^{\beta ij}
A^{\beta ij} = \operatorname{softmax}_{j}(S^{\beta ij})
)"));
constexpr auto kept = ricci::batch(one.keep("S"_t), "b"_i, ricci::of("Q"_t));
static_assert(kept.program().names[kept.program().find("S")].kept);
// a second index, in front of the first
static_assert(is_text(latex_of(ricci::batch(many, "n"_i, ricci::of("Q"_t)).program()),
                      R"(S^{nbij} = Q^{nbia} K^{bja}
A^{nbij} = \operatorname{softmax}_{j}(S^{nbij})
)"));
static_assert(
    ricci::gradient(many, "A"_t, ricci::wrt("Q"_t))
        .states(
            R"(\frac{\partial L}{\partial Q^{bia}} = \frac{\partial L}{\partial S^{bij}} K^{bja})"));

}  // namespace
