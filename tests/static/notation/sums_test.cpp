// Sums and products with conditions and bounds, powers behind what reduces, norms.
#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;

// Conditions bind the letters that are not free ---------------------------------------------------

static_assert(prints("c^i = \\sum_{j \\le i} x^j", "c^{i} = [j \\le i] x^{j}"));
static_assert(prints("c^i = \\sum_{0 \\le j < i} x^j",
                     "c^{i} = \\sum_{j} [[0 \\le j] \\land [j < i]] x^{j}"));
static_assert(prints("c^i = \\sum_{j : j \\ne i} x^j", "c^{i} = [j \\ne i] x^{j}"));
static_assert(prints("u = \\sum_{i<j} x^i x^j", "u = [i < j] (x^{i} x^{j})"));
static_assert(prints("u = \\sum_i \\sum_{j<i} A^{ij}", "u = \\sum_{i} \\sum_{j} [j < i] A^{ij}"));
static_assert(refused("y^i = \\sum_{j \\le i} x^i", mistake_kind::unexpected, 1, 7,
                      "this condition binds no index"));
static_assert(refused("u = x^i x^i \\sum_{i<j} z^i z^j", mistake_kind::index_shadowed, 1, 13,
                      "the index i is bound here and free in the same term"));
static_assert(prints("u = a^i \\sum_{j<i} z^j", "u = a^{i} \\sum_{j} [j < i] z^{j}"));
static_assert(refused("y^i = \\sum_{j > i}^{n} x^j", mistake_kind::unexpected, 1, 19,
                      "write both in the condition"));

static_assert(refused("s = (\\sum_{j < i} x^j) (\\sum_{k < i} z^k) \\sum_i w^i",
                      mistake_kind::unexpected, 1, 6, "conditions of two factors"));
static_assert(prints("y^i = \\sum_{j \\le i} \\sum_{k \\le j} x^k",
                     "y^{i} = \\sum_{j} [j \\le i] \\sum_{k} [k \\le j] x^{k}"));
static_assert(prints("y^i = \\sum_{j \\le i} 2^j", "y^{i} = \\sum_{j} [j \\le i] 2^{j}"));
static_assert(refused("y^i = \\sum_{k \\le j \\land j \\le i} x^k", mistake_kind::unexpected, 1, 19,
                      "a number of the caller"));
static_assert(is_accepted("y = \\sum_{a \\le k \\land k \\le b} x^k"));

// Conditions below functions ----------------------------------------------------------------------

static_assert(
    prints("m^i = \\max_{j \\le i} x^j",
           "m^{i} = \\max_{j}(\\begin{cases} x^{j} & \\text{if } j \\le i \\\\ -\\infty & "
           "\\text{otherwise} \\end{cases})"));
static_assert(prints("m^i = \\min_{j > i} x^j",
                     "m^{i} = \\min_{j}(\\begin{cases} x^{j} & \\text{if } i < j \\\\ \\infty & "
                     "\\text{otherwise} \\end{cases})"));
static_assert(prints("A^{ij} = \\operatorname{softmax}_{i \\ge j}(S^{ij})",
                     "A^{ij} = \\operatorname{softmax}_{i}(\\begin{cases} S^{ij} & \\text{if } j "
                     "\\le i \\\\ -\\infty & \\text{otherwise} \\end{cases})"));
static_assert(prints("m^i = \\operatorname{mean}_{j \\ne i} x^j",
                     "m^{i} = \\operatorname{mean}_{j : j \\ne i}(x^{j})"));
static_assert(prints("s = v^i \\prod_{j < i} x^j",
                     "s = v^{i} \\prod_{j}(\\begin{cases} x^{j} & \\text{if } j < i \\\\ 1 & "
                     "\\text{otherwise} \\end{cases})"));
static_assert(
    is_accepted("y^i = \\operatorname{mean}_{j \\le i} x^j = \\frac{\\sum_j [j \\le i] "
                "x^j}{\\sum_j [j \\le i]}"));
static_assert(refused("y^i = \\max_{j \\le i} x^j z^j", mistake_kind::unexpected, 1, 7,
                      "\\max_{j \\le i}(x^j) z^j"));

// Bounds ------------------------------------------------------------------------------------------

static_assert(
    prints("s^i = \\sum_{a=1}^{d} X^{ia} + \\sum_{a=0}^{d-1} X^{ia} + \\sum_{k=1}^K Z^{ik}",
           "s^{i} = \\sum_{a} X^{ia} + \\sum_{a} X^{ia} + \\sum_{k} Z^{ik}"));
static_assert(prints("s = \\sum_{a=1}^{3} x^a", "s = \\sum_{a=0}^{2} x^{a}"));
static_assert(prints("c^i = \\sum_{j=1}^{i} x^j + \\sum_{j=0}^{i} x^j",
                     "c^{i} = [j \\le i] x^{j} + [j \\le i] x^{j}"));
static_assert(prints("c^i = \\sum_{j=1}^{i-1} x^j + \\sum_{j=0}^{i-1} x^j",
                     "c^{i} = [j < i] x^{j} + [j < i] x^{j}"));
static_assert(prints("y = \\sum_{i=1}^{n} \\sum_{j=1}^{i-1} A_{ij}",
                     "y = \\sum_{i} \\sum_{j} [j < i] A^{ij}"));
static_assert(refused("s = \\sum_{a=1}^{d-1} x^a", mistake_kind::unexpected, 1, 5,
                      "all of the axis"));
static_assert(refused("s = \\sum_{a=0}^{d} x^a", mistake_kind::unexpected, 1, 5,
                      "all of the axis"));
static_assert(refused("s = \\sum_{a=2}^{d} x^a", mistake_kind::unexpected, 1, 13,
                      "from 0 or from 1"));
static_assert(refused("y^i = \\sum_{j=1}^{m_i} x^j", mistake_kind::unexpected, 1, 7,
                      "all of the axis"));
static_assert(prints("s = \\sum_{j=1}^{i} x^j", "s = \\sum_{j} x^{j}"));  // i is a name there
static_assert(refused("s = \\sum_{a=1}^{d} a x^a", mistake_kind::unexpected, 1, 5,
                      "positions count from 0"));
static_assert(refused("y^i = \\sum_{k=1}^{3} w_k x_{i+k}", mistake_kind::unexpected, 1, 7,
                      "positions count from 0"));
static_assert(refused("y = \\sum_{i=1}^{n} [i < 3] x^i", mistake_kind::unexpected, 1, 5,
                      "positions count from 0"));
static_assert(prints("s = \\sum_{a=0}^{d-1} a x^a", "s = a x^{a}"));

// Products ----------------------------------------------------------------------------------------

static_assert(prints("p^i = \\prod_j A^{ij}", "p^{i} = \\prod_{j}(A^{ij})"));
static_assert(prints("p = 2 \\prod_{i=1}^{n} x^i + 1", "p = 2 \\prod_{i}(x^{i}) + 1"));
static_assert(prints("p = (\\prod_i x^i) y", "p = (\\prod_{i}(x^{i})) y"));
static_assert(
    prints("p^i = \\prod_{j \\ne i} (x^i - x^j)^2",
           "p^{i} = \\prod_{j}(\\begin{cases} (x^{i} - x^{j})^{2} & \\text{if } j \\ne i \\\\ "
           "1 & \\text{otherwise} \\end{cases})"));
static_assert(refused("p = \\prod x^i", mistake_kind::unexpected, 1, 11, "needs its indices"));

// Powers behind a parenthesis ---------------------------------------------------------------------

static_assert(refused("v = \\operatorname{mean}_a (x^a - m)^2", mistake_kind::unexpected, 1, 5,
                      "write mean_j ((...)^2) or (mean_j (...))^2"));
static_assert(refused("v = \\max_j (x^j)^2", mistake_kind::unexpected, 1, 5, "this power could"));
static_assert(
    prints("v = \\operatorname{mean}_a((x^a)^2) - (\\operatorname{mean}_a(x^a))^2",
           "v = \\operatorname{mean}_{a}((x^{a})^{2}) - (\\operatorname{mean}_{a}(x^{a}))^{2}"));
static_assert(prints("A^{ij} = \\operatorname{softmax}_j(S^{ij})^2",
                     "A^{ij} = (\\operatorname{softmax}_{j}(S^{ij}))^{2}"));
static_assert(prints("y^i = \\tanh(x^i)^2 + \\sum_j (x^j)^2",
                     "y^{i} = (\\tanh(x^{i}))^{2} + \\sum_{j} (x^{j})^{2}"));

// Norms -------------------------------------------------------------------------------------------

static_assert(prints("D^{ij} = \\lVert x^{ia} - z^{ja} \\rVert",
                     "D^{ij} = \\sqrt{\\sum_{a} (x^{ia} - z^{ja})^{2}}"));
static_assert(prints("D^{ij} = \\|x^{ia} - z^{ja}\\|_2^2 + \\lVert x^{ia} - z^{ja} \\rVert^2_2",
                     "D^{ij} = \\sum_{a} (x^{ia} - z^{ja})^{2} + \\sum_{a} (x^{ia} - z^{ja})^{2}"));
static_assert(prints("n = \\left\\lVert W^{ij} x^j - y^i \\right\\rVert_F",
                     "n = \\sqrt{\\sum_{i} (\\sum_{j} W^{ij} x^{j} - y^{i})^{2}}"));
static_assert(
    prints("n = \\lVert x^i \\rVert_1 + \\lVert x^i \\rVert_{\\infty}",
           "n = \\sum_{i} \\operatorname{abs}(x^{i}) + \\max_{i}(\\operatorname{abs}(x^{i}))"));
static_assert(prints("n^i = \\lVert X^{ij} \\rVert_j", "n^{i} = \\sqrt{\\sum_{j} (X^{ij})^{2}}"));
static_assert(prints("n = \\lVert x^i - \\lVert y^j \\rVert z^i \\rVert",
                     "n = \\sqrt{\\sum_{i} (x^{i} - \\sqrt{\\sum_{j} (y^{j})^{2}} z^{i})^{2}}"));
static_assert(prints("y^i = |x^i|", "y^{i} = \\operatorname{abs}(x^{i})"));
static_assert(refused("n = \\lVert X^{ij} - y^i \\rVert", mistake_kind::unexpected, 1, 5,
                      "the index j stands in some terms of this norm only"));
static_assert(refused("y^i = \\frac{x^i}{\\lVert x^i \\rVert}", mistake_kind::unexpected, 1, 18,
                      "nothing in this norm has an index to run over"));
static_assert(refused("n = \\lVert X \\rVert_F", mistake_kind::unexpected, 1, 5,
                      "nothing in this norm"));
static_assert(refused("n = \\lVert x^i \\rVert_3", mistake_kind::unexpected, 1, 23,
                      "the norms are"));
static_assert(refused("n = \\lVert x^i", mistake_kind::unbalanced, 1, 5, "close it with \\rVert"));

}  // namespace
