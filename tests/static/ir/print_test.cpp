// Printing: names, numbers, brackets where they are needed and nowhere else, LaTeX and plain text.
#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_builder;
using ricci::detail::text_view;
using ricci::testing::prints;
using ricci::testing::prints_plain;

constexpr bool name_prints(text_view name, text_view expected) {
    text_builder out;
    ricci::ir::print_name(name, out);
    return out.view() == expected;
}
static_assert(name_prints("X", "X"));
static_assert(name_prints("W_Q", "W_Q"));
static_assert(name_prints("W_QKV", "W_{\\text{QKV}}"));
static_assert(name_prints("d_k", "d_k"));
static_assert(name_prints("d_model", "d_{\\text{model}}"));
static_assert(name_prints("S_masked", "S_{\\text{masked}}"));
static_assert(name_prints("Output", "\\text{Output}"));
static_assert(name_prints("\\theta", "\\theta"));
static_assert(name_prints("\\tilde{Q}", "\\tilde{Q}"));
static_assert(name_prints("\\tilde{W_Q}'", "\\tilde{W_Q}'"));

constexpr bool number_prints(double value, text_view expected) {
    text_builder out;
    ricci::ir::print_number(value, out);
    return out.view() == expected;
}
static_assert(number_prints(0, "0"));
static_assert(number_prints(1, "1"));
static_assert(number_prints(-2.5, "-2.5"));
static_assert(number_prints(0.1, "0.1"));
static_assert(number_prints(10000, "10000"));
static_assert(number_prints(1.0 / 3, "0.3333333333333333"));
static_assert(number_prints(__builtin_inf(), "\\infty"));
static_assert(number_prints(-__builtin_inf(), "-\\infty"));

// Brackets
// What would read as something else has a sign, parentheses or its sum written.
static_assert(prints("y = \\sum_{b} (-1)", "y = \\sum_{b} (-1)"));
static_assert(prints("y = a \\cdot (b + c)", "y = a \\cdot (b + c)"));
static_assert(prints("y^i = i \\cdot (b + x^i)", "y^{i} = i \\cdot (b + x^{i})"));
static_assert(prints("y = (a)^{0.5}", "y = (a)^{0.5}"));
static_assert(prints("y = \\sum_i (a^i + a^i b^i)(c^i + 1)",
                     "y = \\sum_{i} (a^{i} + a^{i} b^{i}) (c^{i} + 1)"));

static_assert(prints("y^i = (a + b) x^i", "y^{i} = (a + b) x^{i}"));
static_assert(prints("y^i = a + b x^i", "y^{i} = a + b x^{i}"));
static_assert(prints("y^i = (x^i)^2 + (x^i + 1)^{a}", "y^{i} = (x^{i})^{2} + (x^{i} + 1)^{a}"));
static_assert(prints("y^i = 2 \\cdot 3 x^i", "y^{i} = 2 \\cdot 3 x^{i}"));
static_assert(prints("y^i = x^i (\\sum_j z^j) w^i", "y^{i} = x^{i} (\\sum_{j} z^{j}) w^{i}"));
static_assert(prints("y^i = x^i \\sum_j z^j", "y^{i} = x^{i} \\sum_{j} z^{j}"));
static_assert(prints("y^i = \\sum_j (A^{ij} + B^{ij})", "y^{i} = \\sum_{j} (A^{ij} + B^{ij})"));
static_assert(prints("y^i = x^i - \\sum_j z^j", "y^{i} = x^{i} - \\sum_{j} z^{j}"));
static_assert(prints("y^i = x^i - 2 \\sum_j z^j", "y^{i} = x^{i} - 2 \\sum_{j} z^{j}"));
static_assert(prints("y^i = -\\frac{a}{b} x^i", "y^{i} = -\\frac{a}{b} x^{i}"));
static_assert(prints("y^i = [i < 3 \\lor i > 5] x^i", "y^{i} = [[i < 3] \\lor [5 < i]] x^{i}"));
static_assert(prints("y^{i\\mu} = A^{\\mu i}", "y^{i\\mu } = A^{\\mu i}"));
static_assert(prints("y^i = A^{i0}", "y^{i} = A^{i,0}"));
static_assert(prints("y = x_{0,}", "y = x_{0,}"));

// Plain text
static_assert(prints_plain("Q^{hia} = X^{ib} W_Q^{hba}", "Q[h,i,a] = sum(b) X[i,b] * W_Q[h,b,a]"));
static_assert(prints_plain("S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ia} K^{ja} + b_{i-j}",
                           "S[i,j] = sum(a) (1 / sqrt(d_k)) * Q[i,a] * K[j,a] + b[i-j]"));
static_assert(prints_plain("Y^{i(hc)} = O^{hic}; A^{ij} = \\operatorname{softmax}_j(S^{ij})",
                           "Y[i,(hc)] = O[h,i,c]\nA[i,j] = softmax(j) (S[i,j])\n"));
static_assert(prints_plain("\\frac{\\partial L}{\\partial X^{ij}} = (x^{i})^2 [j < i]",
                           "dL/dX[i,j] = x[i]^2 * [j < i]"));

// Positions that a tensor says
static_assert(prints("Y^{ia} = E^{x_i a}", "Y^{ia} = E^{x_{i}a}\n"));
static_assert(prints("Y^{bi} = Z^{b i \\text{tokens}_{bi}}",
                     "Y^{bi} = Z^{bi\\text{tokens}_{bi}}\n"));
static_assert(prints("Y^{i} = \\theta^{x'_{i}} + E_{x_{y_i}}",
                     "Y^{i} = \\theta^{x'_{i}} + E^{x_{y_{i}}}\n"));
static_assert(prints_plain("Y^{ia} = E^{x_i a}", "Y[i,a] = E[x[i],a]\n"));

}  // namespace
