// Derivatives of derivatives, and of tensors by tensors: their names, their equations, claims.
#include <ricci/derive/jacobian.hpp>

#include <ricci/detail/bind/parse_and_prove.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::contains;
using ricci::testing::gradient_latex;
using ricci::testing::is_text;
using ricci::testing::latex_of;
using ricci::testing::prints;
using ricci::testing::text_view;

constexpr ricci::detail::text_builder read_latex(text_view text) {
    const auto read = ricci::detail::parse_and_prove(text);
    ricci::detail::text_builder out;
    if (read.mistake) return out << read.mistake.words.view();
    return latex_of(read.program);
}
constexpr bool is_canonical(text_view name) {
    return ricci::notation::canonical_name(name).view() == name;
}
constexpr bool is_output(text_view text, text_view name) {
    const auto read = ricci::detail::parse_and_prove(text);
    const auto n = read.program.find(name);
    return !read.mistake && n != ricci::ir::none && read.program.names[n].kept;
}

// Names: brackets where a derivative is differentiated --------------------------------------------

static_assert(is_canonical("dL/dX") && is_canonical("d(dL/dX)/dX") && is_canonical("dL'/d(dL/dX)"));
static_assert(ricci::notation::canonical_name("d(dL/dW_{Q})/dX").view() == "d(dL/dW_Q)/dX");
static_assert(prints("Z^{ij} = \\frac{\\partial^2 L}{\\partial x^i \\partial y^j}",
                     "Z^{ij} = \\frac{\\partial^2 L}{\\partial x^{i} \\partial y^{j}}\n"));
static_assert(prints("Z^{ij} = \\frac{\\partial \\frac{\\partial L}{\\partial x^i}}{\\partial y^j}",
                     "Z^{ij} = \\frac{\\partial^2 L}{\\partial x^{i} \\partial y^{j}}\n"));
static_assert(prints("Z^{i} = \\frac{\\partial L'}{\\partial \\frac{\\partial L}{\\partial x^{i}}}",
                     "Z^{i} = \\frac{\\partial L'}{\\partial \\frac{\\partial L}{\\partial "
                     "x^{i}}}\n"));

// The gradient of a gradient is of another loss ---------------------------------------------------

static_assert(is_text(
    [] {
        const auto read = ricci::notation::parse_equations("Y^{i} = (X^{i})^3");
        const text_view x = "X", dx = "dL/dX";
        const auto first = ricci::derive::gradient(read.program, {"Y", &x, 1});
        return latex_of(ricci::derive::gradient(first.program, {dx, &x, 1}).program);
    }(),
    "\\frac{\\partial L'}{\\partial X^{i}} := 6 \\frac{\\partial L}{\\partial Y^{i}} "
    "\\frac{\\partial L'}{\\partial \\frac{\\partial L}{\\partial X^{i}}} X^{i}"));

// Tensors by tensors ------------------------------------------------------------------------------

constexpr text_view softmax =
    "A^{ij} = \\text{softmax}_j(S^{ij})\n"
    "\\chi^{ij}_{kl} = \\frac{\\partial A^{ij}}{\\partial S^{kl}}";
static_assert(is_text(
    read_latex(softmax),
    "A^{ij} = \\operatorname{softmax}_{j}(S^{ij})\n"
    "A^{ij}\n"
    "\\frac{\\partial A^{i'j''}}{\\partial S^{ij}} := A^{ij} (\\delta^{ii'} \\delta^{jj''} - "
    "A^{ij''} \\delta^{ii'})\n"
    "\\chi^{ijkl} = \\frac{\\partial A^{ij}}{\\partial S^{kl}}\n"));
// What is differentiated stays an output.
static_assert(is_output(softmax, "A"));

constexpr text_view hessian = R"(z^{i} = A^{ij} x^{j}
L = \sum_{i} \exp(z^{i})
\frac{\partial L}{\partial z^{i}} := \exp(z^{i})
\frac{\partial \frac{\partial L}{\partial x^{j'}}}{\partial \frac{\partial L}{\partial z^{i}}} := A^{ij'}
\frac{\partial^2 L}{\partial x^{j'} \partial z^{i}} := \frac{\partial \frac{\partial L}{\partial x^{j'}}}{\partial \frac{\partial L}{\partial z^{i}}} \frac{\partial L}{\partial z^{i}}
\frac{\partial^2 L}{\partial x^{j'} \partial x^{j}} := A^{ij} \frac{\partial^2 L}{\partial x^{j'} \partial z^{i}}
H^{ij} = \frac{\partial^2 L}{\partial x^{i} \partial x^{j}}
)";
static_assert(is_text(read_latex("z^i = A^{ij} x^j; L = \\sum_i \\exp(z^i)\n"
                                 "H^{ij} = \\frac{\\partial^2 L}{\\partial x^i \\partial x^j}"),
                      hessian));
static_assert(contains(read_latex("A^{ij} = \\exp(S^{ij})\n"
                                  "B^{ij} = \\frac{\\partial A^{i}}{\\partial S^{jkl}} M^{kl}"),
                       "A has 1 indices in this derivative and 2 where it is defined"));
// What is differentiated is made of derivatives itself: those are defined before, in any order of
// the text.
static_assert(
    contains(read_latex("D^j = \\frac{\\partial M}{\\partial x^j}\n"
                        "M = \\sum_i (\\frac{\\partial L}{\\partial x^i})^2 + L\n"
                        "L = \\sum_i (x^i)^3"),
             "\\frac{\\partial M}{\\partial x^{i}} := 3 \\frac{\\partial M}{\\partial L} "
             "(x^{i})^{2} + 6 \\frac{\\partial M}{\\partial \\frac{\\partial L}{\\partial "
             "x^{i}}} x^{i}"));
// Along t move the tensors whose motion the text speaks of, or all.
constexpr text_view moving =
    "L = x^i x^i y; H^j = \\frac{d}{d t} \\frac{\\partial L}{\\partial x^j}";
static_assert(contains(read_latex(moving), "2 \\frac{d x^{i}}{d t} y + 2 x^{i} \\frac{d y}{d t}"));
static_assert(contains(read_latex("L = x^i x^i y; \\frac{d y}{d t} = 1\n"
                                  "H^j = \\frac{d}{d t} \\frac{\\partial L}{\\partial x^j}"),
                       "x^{i}} := 2 x^{i} \\frac{d y}{d t}\n"));
static_assert(
    contains(read_latex("L = (x)^3; H = \\frac{d}{d t} \\frac{d L}{d t}"),
             "6 x \\frac{d x}{d t} \\frac{d x}{d t} + 3 x^{2} \\frac{d}{d t} \\frac{d x}{d t}"));
// No derivative is silently 0 because of what is not known.
static_assert(contains(read_latex("M = x L; L = \\frac{\\partial M}{\\partial x}"),
                       "M is defined by its own derivative"));
static_assert(contains(read_latex("G^i = 2 \\frac{\\partial L}{\\partial S^i} S^i\n"
                                  "H^{ij} = \\frac{\\partial G^i}{\\partial S^j}"),
                       "how that depends on S is not known, as nothing defines L"));
static_assert(contains(read_latex("L = x^i x^i; D^i = \\frac{\\partial L}{\\partial y^i}"),
                       "this derivative is by y, which no equation uses"));
// Of two equal terms one is left, counted.
static_assert(is_text(gradient_latex("Y^{i} = X^{i} X^{i} X^{i}", "Y", "X"),
                      "\\frac{\\partial L}{\\partial X^{i}} := 3 \\frac{\\partial L}{\\partial "
                      "Y^{i}} X^{i} X^{i}\n"));
static_assert(contains(read_latex("z^i = A^{ij} x^j; L = z^i z^i\n"
                                  "G^{j} = \\frac{\\partial L}{\\partial x^j}"),
                       "\\frac{\\partial L}{\\partial x^{j}} := A^{ij} \\frac{\\partial "
                       "L}{\\partial z^{i}}"));
// Nothing defines L: its derivative is an input.
static_assert(is_text(read_latex("G^{ij} = 2 \\frac{\\partial L}{\\partial S^{ij}}"),
                      "G^{ij} = 2 \\frac{\\partial L}{\\partial S^{ij}}\n"));

}  // namespace
