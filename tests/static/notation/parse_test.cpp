// Small programs: what is accepted, as the LaTeX it prints, and what is refused, where and why.
#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::is_accepted;
using ricci::testing::mistake_kind;
using ricci::testing::prints;
using ricci::testing::refused;

// Products and sums -------------------------------------------------------------------------------

static_assert(prints("Q^<hia> = X^<ib> W_Q^<hba>\nY^<id> = O^<hic> W_O^<hcd>",
                     "Q^{hia} = X^{ib} W_Q^{hba}\nY^{id} = O^{hic} W_O^{hcd}\n"));
static_assert(prints("y_i = \\sum_j A_{ij} x_j", "y^{i} = A^{ij} x^{j}"));
static_assert(prints("S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ia} K^{ja}",
                     "S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ia} K^{ja}"));
static_assert(prints("S_{ij} = \\frac{1}{\\sqrt{d_k}} \\sum_a Q_{ia} K_{ja}",
                     "S^{ij} = \\frac{1}{\\sqrt{d_k}} \\sum_{a} Q^{ia} K^{ja}"));
static_assert(prints("W_{ij} = \\frac{1}{N} \\sum_\\mu \\xi_\\mu^i \\xi_\\mu^j",
                     "W^{ij} = \\frac{1}{N} \\sum_{\\mu} \\xi^{\\mu i} \\xi^{\\mu j}"));
static_assert(prints("C^{ik} = A^{ij} B_j^{\\ k}", "C^{ik} = A^{ij} B^{jk}"));
static_assert(prints("y^i = 2 \\cdot x^i * z^i \\times w^i \\odot v^i",
                     "y^{i} = 2 x^{i} z^{i} w^{i} v^{i}"));
static_assert(prints("y^i = a / b \\cdot c^i",
                     "y^{i} = \\frac{a}{b} c^{i}"));  // by the next factor
static_assert(prints("y^i = x^i - (z^i - w^i)", "y^{i} = x^{i} - (z^{i} - w^{i})"));
static_assert(prints("y^i = -x^i - 2 z^i + 3 w^i", "y^{i} = -x^{i} - 2 z^{i} + 3 w^{i}"));
static_assert(prints("t = A^{ii}", "t = A^{ii}"));
static_assert(prints("d^i = A^{ii}", "d^{i} = A^{ii}"));
static_assert(prints("y = \\sum_{i,j} x^i z^j", "y = \\sum_{i,j} x^{i} z^{j}"));
static_assert(prints("y = \\sum_{a=1}^{d} x^a", "y = \\sum_{a} x^{a}"));

// Statements --------------------------------------------------------------------------------------

static_assert(prints("$$ y^i = x^i $$", "y^{i} = x^{i}"));
static_assert(prints("y^i = x^i % a comment\nz^i = x^i; w^i = 2 x^i \\\\ v^i = x^i / 2",
                     "y^{i} = x^{i}\nz^{i} = x^{i}\nw^{i} = 2 x^{i}\nv^{i} = \\frac{x^{i}}{2}\n"));
static_assert(prints("z^i = y^i; y^i = x^i", "y^{i} = x^{i}\nz^{i} = y^{i}\n"));  // put in order
static_assert(prints("v^i = \\underbrace{x^i + b^i}_{\\text{shifted}}", "v^{i} = x^{i} + b^{i}"));
static_assert(prints("\\displaystyle y^i &= \\left( x^i \\right) \\, z^i", "y^{i} = x^{i} z^{i}"));
static_assert(prints("B(u, v) = u^a g_{ab} v^b", "B = u^{a} g^{ab} v^{b}"));
static_assert(prints("P(j) = x^j", "P^{j} = x^{j}"));
static_assert(prints("\\phi(x) = \\operatorname{elu}(x) + 1\nY^{ij} = \\phi(Q^{ia} K^{ja})",
                     "Y^{ij} = \\operatorname{elu}(\\sum_{a} Q^{ia} K^{ja}) + 1"));
static_assert(is_accepted(
    "C^{ik} = A^{ij} B^{jk} \\quad \\Leftrightarrow \\quad C_{ik} = \\sum_j A_{ij} B_{jk}"));
static_assert(is_accepted("y^i = (a + b) x^i = b x^i + a x^i"));

// Names -------------------------------------------------------------------------------------------

static_assert(prints("S_{\\text{masked}}^{ij} = S^{ij} + W_{QKV}^{ij}",
                     "S_{\\text{masked}}^{ij} = S^{ij} + W_{\\text{QKV}}^{ij}"));
static_assert(prints("\\text{Output}^{ic} = \\mathrm{In}^{ic}",
                     "\\text{Output}^{ic} = \\text{In}^{ic}"));
static_assert(prints("dA^{ij} = \\tilde{X}'^{ij}", "\\text{dA}^{ij} = \\tilde{X}'^{ij}"));
static_assert(prints("\\theta^i = \\sigma^i + \\beta", "\\theta^{i} = \\sigma^{i} + \\beta"));
static_assert(prints("y^{j} = x^{j'} A^{j'j}", "y^{j} = x^{j'} A^{j'j}"));
static_assert(prints("\xce\xb1^i = \xce\xb2^i", "\\alpha^{i} = \\beta^{i}"));
static_assert(prints("\xd0\xb6^i = \xc3\xa9^i", "\xd0\xb6^{i} = \xc3\xa9^{i}"));
static_assert(prints("\\frac{\\partial L}{\\partial X^{ij}} = A^{ij}",
                     "\\frac{\\partial L}{\\partial X^{ij}} = A^{ij}"));
static_assert(prints("\\frac{\\partial y_i}{\\partial x^j} = \\delta^i_j",
                     "\\frac{\\partial y^{i}}{\\partial x^{j}} = \\delta^{ij}"));

// Positions ---------------------------------------------------------------------------------------

static_assert(prints("Q^{hia} = P^{i(ha)}", "Q^{hia} = P^{i(ha)}"));
static_assert(prints("Y^{i(hc)} = O^{hic}", "Y^{i(hc)} = O^{hic}"));
static_assert(prints("Q^{hia} = R^{i0ha}", "Q^{hia} = R^{i,0,h,a}"));
static_assert(prints("S^{ij} = q^{i} k^{j} + b_{i-j}", "S^{ij} = q^{i} k^{j} + b^{i-j}"));
static_assert(prints("y^{i} = x^{i+k} w^k", "y^{i} = x^{i+k} w^{k}"));
static_assert(prints("y^{i} = x^{2i+1}", "y^{i} = x^{2i+1}"));
static_assert(prints("y^i = m \\cdot |i - 2| x^i", "y^{i} = m \\operatorname{abs}(i - 2) x^{i}"));

// Functions ---------------------------------------------------------------------------------------

static_assert(prints("A^{hij} = \\frac{\\exp(S^{hij})}{\\sum_{j'} \\exp(S^{hij'})}",
                     "A^{hij} = \\operatorname{softmax}_{j}(S^{hij})"));
static_assert(prints("A^{ij} = \\frac{e^{\\beta S^{ij}}}{\\sum_{k} e^{\\beta S^{ik}}}",
                     "A^{ij} = \\operatorname{softmax}_{j}(\\beta S^{ij})"));
static_assert(prints("A^{ij} = \\frac{\\exp(S^{ij})}{\\sum_{j'} \\exp(2 S^{ij'})}",
                     "A^{ij} = \\frac{\\exp(S^{ij})}{\\sum_{j'} \\exp(2 S^{ij'})}"));  // no softmax
static_assert(prints("F = \\log \\sum_j \\exp(x^j)", "F = \\operatorname{logsumexp}_{j}(x^{j})"));
static_assert(prints("A^{ijk} = \\frac{\\exp(S^{ijk})}{\\sum_{j',k'} \\exp(S^{ij'k'})}",
                     "A^{ijk} = \\operatorname{softmax}_{j,k}(S^{ijk})"));
static_assert(prints("A^{ij} = \\text{softmax}_j(S^{ij})",
                     "A^{ij} = \\operatorname{softmax}_{j}(S^{ij})"));
static_assert(prints("H^i = -\\sum_j A^{ij} \\log A^{ij}", "H^{i} = -A^{ij} \\log(A^{ij})"));
static_assert(prints(
    "\\mu^i = \\operatorname{mean}_a X^{ia}; V^i = \\operatorname{mean}_a ((X^{ia} - \\mu^i)^2)",
    "\\mu^{i} = \\operatorname{mean}_{a}(X^{ia})\n"
    "V^{i} = \\operatorname{mean}_{a}((X^{ia} - \\mu^{i})^{2})\n"));
static_assert(prints("m^i = \\max_j(A^{ij}) - \\min_j A^{ij}",
                     "m^{i} = \\max_{j}(A^{ij}) - \\min_{j}(A^{ij})"));
static_assert(prints("y^i = \\max(x^i, 0) + \\sigma(x^i)",
                     "y^{i} = \\max(x^{i}, 0) + \\operatorname{sigmoid}(x^{i})"));
static_assert(prints("y^i = \\exp^2(x^i) + e^{x^i} + \\ln x^i",
                     "y^{i} = (\\exp(x^{i}))^{2} + \\exp(x^{i}) + \\log(x^{i})"));
static_assert(
    prints("M^{ij} = \\begin{cases} 0 & \\text{if } |i - j| \\leq w \\\\ -\\infty & "
           "\\text{otherwise} \\end{cases}",
           "M^{ij} = \\begin{cases} 0 & \\text{if } \\operatorname{abs}(i - j) \\le w \\\\ "
           "-\\infty & \\text{otherwise} \\end{cases}"));
static_assert(prints("y^{i} = [i < 3 \\land \\lnot i = 1] x^i",
                     "y^{i} = [[i < 3] \\land [\\lnot [i = 1]]] x^{i}"));
static_assert(prints("y^i = x^i \\bmod 2", "y^{i} = (x^{i} \\bmod 2)"));

// Mistakes, one of every kind that reading finds --------------------------------------------------

static_assert(refused("Q^{hia} = X^{ib} W_Q^{hba", mistake_kind::unbalanced, 1, 22,
                      ">>>{<<<hba : this bracket is never closed"));
static_assert(refused("y^i = x^i)", mistake_kind::unbalanced, 1, 10, "closes nothing"));
static_assert(refused("y^i = \\epx(x^i)", mistake_kind::unknown_command, 1, 7,
                      "y^i = >>>\\epx<<<(x^i) : unknown command \\epx; did you mean \\exp?"));
static_assert(refused("a^i = X^{i}\nb^i = \\alpah^i", mistake_kind::unknown_command, 2, 7,
                      "did you mean \\alpha?"));
static_assert(refused("y^i = \\operatorname{sofmax}_i(x^i)", mistake_kind::unknown_function, 1, 7,
                      "did you mean softmax?"));
static_assert(refused("y^i = x^j", mistake_kind::index_once, 1, 7, "is one meant for the other?"));
static_assert(refused("y^i = x^{ij}", mistake_kind::index_once, 1, 7,
                      "write \\sum_{j} if a sum is meant"));
static_assert(refused("y^i = A^{ik} + B^{ij} C^{j}", mistake_kind::index_once, 1, 7,
                      "the index k stands once"));
static_assert(refused("y^{ij} = x^i", mistake_kind::index_missing, 1, 1,
                      "the index j stands on the left and nowhere on the right"));
static_assert(refused("y^i = x^i + \\sum_i z^i", mistake_kind::index_shadowed, 1, 13, "write i'"));
static_assert(refused("y^{ii} = x^i", mistake_kind::index_repeated, 1, 1,
                      "the index i stands twice on the left"));
static_assert(refused("y^i = x^i + x^{ij} z^{j}", mistake_kind::rank, 1, 13,
                      "x has 2 indices here and 1 before"));
static_assert(refused("y^i = x^i; y^i = z^i", mistake_kind::defined_twice, 1, 12,
                      "y is defined twice"));
static_assert(refused("a^i = b^i\nb^i = a^i", mistake_kind::cycle, 1, 1, "a is defined by itself"));
static_assert(refused("S = Q K^T", mistake_kind::index_free, 1, 8,
                      "matrix notation has no indices"));
static_assert(refused("y^i = x^i +", mistake_kind::unexpected, 1, 12, "expected a factor"));
static_assert(refused("y^i", mistake_kind::unknown_name, 1, 1, "an equation is written name ="));
static_assert(refused("y^i x^i", mistake_kind::unexpected, 1, 5, "expected = here"));
static_assert(refused("= x", mistake_kind::unexpected, 1, 1,
                      "an equation starts with the tensor it defines"));
static_assert(refused("y^i = \\max(x^i)", mistake_kind::unexpected, 1, 15,
                      "two arguments, or an index it runs over"));
static_assert(refused("y^i = \\sum x^i", mistake_kind::unexpected, 1, 12,
                      "a sum needs its indices"));
static_assert(refused("y^i = \\sum_{j=2}^{4} x^{ij}", mistake_kind::unexpected, 1, 15,
                      "a sum runs from 0 or from 1"));
static_assert(refused("y^i = \\begin{cases} x^i & \\text{if } i < 2 \\end{cases}",
                      mistake_kind::unexpected, 1, 7, "\\text{otherwise}"));
static_assert(refused("y^i = x^i \\frac{a}", mistake_kind::unexpected, 1, 19, "expected a factor"));
static_assert(refused("y^i = x^i ?", mistake_kind::unexpected, 1, 11, "does not fit here"));
static_assert(refused("y^{i} = w^{k} x^{\\operatorname{wap}(i-k)}", mistake_kind::unknown_function,
                      1, 18, "not wap"));
static_assert(refused("", mistake_kind::unexpected, 1, 1, "there is no equation in this text"));

// A text nested beyond reason is refused before it exhausts the stack.
constexpr bool deep_nesting_is_refused() {
    ricci::detail::text_builder text;
    text << "y = ";
    for (int k = 0; k < 300; ++k) text << '(';
    text << 'x';
    for (int k = 0; k < 300; ++k) text << ')';
    return refused(text, mistake_kind::unexpected, 1, 55, "nested too deeply");
}
static_assert(deep_nesting_is_refused());

}  // namespace
