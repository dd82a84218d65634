// Where implied sums stand, functions of one's own, and upper and lower indices.
#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;

// An argument is a value before the function sees it.
static_assert(prints("\\phi(x) = \\frac{x}{1+e^{-x}}\nZ^f = \\phi(v^g U^{gf})",
                     "Z^{f} = \\frac{\\sum_{g} v^{g} U^{gf}}{1 + \\exp(-\\sum_{g} v^{g} U^{gf})}"));
static_assert(prints("Z = \\phi(a^g) b^g\n\\phi(x) = x + x^2", "Z = (a^{g} + (a^{g})^{2}) b^{g}"));
static_assert(prints("A^{ij} = \\frac{\\exp(Q^{ia} K^{ja})}{\\sum_k \\exp(Q^{ia} K^{ka})}",
                     "A^{ij} = \\operatorname{softmax}_{j}(\\sum_{a} Q^{ia} K^{ja})"));
static_assert(prints("s = \\exp(Q^a K^a) w^a w^a",
                     "s = \\exp(\\sum_{a'} Q^{a'} K^{a'}) w^{a} w^{a}"));
static_assert(prints("s = (x^i y^i)^2", "s = (\\sum_{i} x^{i} y^{i})^{2}"));
static_assert(prints("y^i = (A^{ij} + B^{ij} z^j) c^j",
                     "y^{i} = \\sum_{j} (A^{ij} + B^{ij} z^{j}) c^{j}"));
// What a function sums over is no index of its arguments.
static_assert(prints("\\phi(t) = t / \\sum_i u^i\ny^i = \\phi(x^i)",
                     "y^{i} = \\frac{x^{i}}{\\sum_{i'} u^{i'}}"));
// The index of a softmax is its own, in further arguments too.
static_assert(prints("P = \\operatorname{softmax}_i(S^i \\exp(b^i X^i)) B^i",
                     "P = \\sum_{i} \\operatorname{softmax}_{i}(S^{i} \\exp(b^{i} X^{i})) B^{i}"));
static_assert(prints("N^{m,2n} = m u^n\nN^{m,2n+1} = m u^n\nf(x) = \\max(x, 0)^2\ny = f(z)",
                     "N^{m(2n+0)} = m u^{n}\nN^{m(2n+1)} = m u^{n}\ny = (\\max(z, 0))^{2}"));
// A product that is one sum or several.
constexpr auto repeated = mistake_kind::index_repeated;
static_assert(refused("s = (y^i - W^{ij} x^j)(y^i - W^{ij} x^j)", repeated, 1, 5, "(...)^2"));
static_assert(refused("s = \\frac{x^i A^{ij} x^j}{x^i x^i}", repeated, 1, 5, "\\sum_{i} in front"));
static_assert(refused("s = A^{ii} B^{ii}", repeated, 1, 5, "another letter"));
static_assert(is_accepted("s = A^{ii} B^{jj}"));
static_assert(is_accepted("s = \\exp(v^a w^a) \\exp(v^a w^a)"));
static_assert(is_accepted("s = \\sum_i A^{ii} B^{ii}"));

// A sum sign ends at + or -: what a term behind it sums by itself might have been meant to be below
// it.
static_assert(refused("L = -\\frac{1}{n} \\sum_i y_i \\log p_i + (1 - y_i) \\log(1 - p_i)",
                      repeated, 1, 40, "\\sum_{i} (...)"));
static_assert(refused("L = 2 \\sum_i y_i + z_i z_i", repeated, 1, 20, "in this term too"));
static_assert(refused("L = \\sum_i y_i - \\log(z_i z_i)", repeated, 1, 23, "in this term too"));
static_assert(refused("L = \\sum_{j<i} y_i b_j + z_j z_i w_{ij}", repeated, 1, 26,
                      "in this term too"));
static_assert(is_accepted("E = -\\frac{1}{2} \\sum_{i,j} J^{ij} s^i s^j - h^i s^i"));
static_assert(prints("L = \\sum_i y_i + z_i z_i", "L = \\sum_{i} y^{i} + \\sum_{i} z^{i} z^{i}"));
static_assert(prints("L = 2 (\\sum_i y_i) + z_i z_i",
                     "L = 2 \\sum_{i} y^{i} + \\sum_{i} z^{i} z^{i}"));
static_assert(prints("L = z_i z_i - \\sum_i y_i", "L = z^{i} z^{i} - \\sum_{i} y^{i}"));
static_assert(is_accepted("L = \\exp(-\\sum_i y_i) + z_i z_i"));
static_assert(is_accepted("L = \\sum_i y_i + 2 (z_i w_i + c) + \\frac{z_i w_i}{2}"));
static_assert(refused("L = \\sum_i y_i + \\frac{1}{z_i w_i}", repeated, 1, 27, "in this term too"));

// Functions over an index.
static_assert(
    prints("\\operatorname{CN}_a(x) = x - \\operatorname{mean}_a x\n"
           "Z^{ib} = \\operatorname{CN}_b(Y^{ib})",
           "Z^{ib} = Y^{ib} - \\operatorname{mean}_{b'}(Y^{ib'})"));
static_assert(
    prints("\\operatorname{avg}_a(x) = \\operatorname{mean}_a x\n"
           "Z^i = \\operatorname{avg}_b(Y^{ib})",
           "Z^{i} = \\operatorname{mean}_{b}(Y^{ib})"));
// Left sides whose parentheses hold indices, or only name what the tensor is made of.
static_assert(prints("P(j) = K^{ja} q^a\nZ = P(i) w^i", "P^{j} = K^{ja} q^{a}\nZ = P^{i} w^{i}"));
static_assert(prints("L(\\theta) = \\sum_i (y^i - \\theta x^i)^2",
                     "L = \\sum_{i} (y^{i} - \\theta x^{i})^{2}"));
static_assert(prints("B(u, v) = u^a g_{ab} v^b\ns = B(u, v)", "B = u^{a} g^{ab} v^{b}\ns = B"));
static_assert(refused("B(u, v) = u^a g_{ab} v^b\ns = B(v, u)", mistake_kind::unexpected, 2, 5,
                      "no function of u"));
static_assert(refused("\\operatorname{CN}_a(x) = x - \\operatorname{mean}_a x",
                      mistake_kind::unexpected, 1, 1, "functions only"));
static_assert(refused("\\phi(x) = \\phi(x) + 1\ny = \\phi(z)", mistake_kind::cycle, 1, 11,
                      "defined by itself"));

// Heights.
static_assert(prints("v^a = g^{ab} v_b\ns = v^a v_a",
                     "v_{\\text{upper}}^{a} = g^{ab} v_{\\text{lower}}^{b}\n"
                     "s = v_{\\text{upper}}^{a} v_{\\text{lower}}^{a}"));
static_assert(prints("T^{ab} = F^{ac} F^b_c - \\frac{1}{4} g^{ab} F_{cd} F^{cd}",
                     "T^{ab} = F_{\\text{upper}}^{ac} F_{\\text{ul}}^{bc} - \\frac{1}{4} g^{ab} "
                     "F_{\\text{lower}}^{cd} F_{\\text{upper}}^{cd}"));
static_assert(refused("y^i = A^{ij} x^j\nz^i = A_{ij} x^j", mistake_kind::rank, 2, 7,
                      "one height"));
static_assert(prints("y_i = \\sum_j A_{ij} x_j\nz^i = \\sum_j A^{ij} x^j",
                     "y^{i} = A^{ij} x^{j}\nz^{i} = A^{ij} x^{j}"));
static_assert(prints("s = u^i v_i\nJ = \\sum_a (w^{a y_a} + \\sum_l w^{al})",
                     "s = u^{i} v^{i}\nJ = \\sum_{a} (w^{ay_{a}} + \\sum_{l} w^{al})"));
static_assert(prints("g_{ab} = \\delta_{ab}\ns = v_a v^a", "s = v^{a} v^{a}"));
static_assert(refused("W_{ij} = \\xi_\\mu^i \\xi^j_\\mu", mistake_kind::rank, 1, 20, "staggered"));
static_assert(is_accepted("C^i_k = A^i_j B^j_k \\Leftrightarrow C^{ik} = \\sum_j A^{ij} B^{jk}"));
static_assert(refused("s = A^i x^i + A^{ij} z^{ij}", mistake_kind::rank, 1, 15, "one rank"));

}  // namespace
