// Names, labels, digits and parentheses: what one line leaves open, the rest of the text decides.
#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;
constexpr auto unexpected = mistake_kind::unexpected;

// A subscript of digits is a label, unless the text has an index in its place.
static_assert(prints("Y^{ab} = W_1^{ab} + W_{12}^{ab}",
                     "Y^{ab} = W_{\\text{1}}^{ab} + W_{\\text{12}}^{ab}"));
static_assert(prints("Y = \\text{head}_1 + x_0", "Y = \\text{head}_{\\text{1}} + x_{\\text{0}}"));
static_assert(prints("s = x_0 + \\sum_i x_i", "s = x_{0,} + \\sum_{i} x^{i}"));
static_assert(prints("y_i = W_1^{ij} x_j + W_k^{ij} z^k x_j",
                     "y^{i} = W^{1,i,j} x^{j} + W^{kij} z^{k} x^{j}"));
static_assert(refused("s = x_0 \\sum_i x^i", unexpected, 1, 6,
                      "write x_{\\text{0}} for the first"));
static_assert(refused("y_i = S_{ij} x_j + S_{11} x_i", unexpected, 1, 21,
                      "S_{1,1} for the second"));
static_assert(prints("s = S_{1,1} + \\sum_{i} S_{ii}", "s = S_{1,1} + \\sum_{i} S^{ii}"));
// Behind a label, places stand above: LaTeX has no second subscript.
static_assert(prints("s = S_{\\text{masked}}_{0,} + \\sum_i S_{\\text{masked}}_i",
                     "s = S_{\\text{masked}}^{0,} + \\sum_{i} S_{\\text{masked}}^{i}"));
static_assert(prints("s = W_Q_{0,1} + W_Q^{ij} x^i y^j", "s = W_Q^{0,1} + W_Q^{ij} x^{i} y^{j}"));
static_assert(prints("y^a = E^{a X_{\\text{m}}_i} z^i", "y^{a} = E^{aX_{\\text{m}}^{i}} z^{i}"));
static_assert(prints("y = P_{\\text{m}}_{(pos,2i+1)} w_{(pos,i)}",
                     "y = P_{\\text{m}}^{(pos,2i+1)} w_{(pos,i)}"));
// A power, unless the name has indices above.
static_assert(is_accepted("s = x^2 + y^{-1/2}"));
static_assert(refused("s = x^2 + \\sum_i x^i", unexpected, 1, 6, "x^{2,} for a place"));
static_assert(refused("y^a = g^{-1} x^a + g^{ab} x^b", unexpected, 1, 8,
                      "(g^{-1})^{ij} for an inverse"));
static_assert(refused("s = T^{00}", unexpected, 1, 6, "T^{0,0} for places"));
static_assert(refused("s = x^10", unexpected, 1, 7, "write {10}"));
static_assert(refused("y = W_1^2 + W_1^{ij} x^i x^j", unexpected, 1, 8, "W_1^{2,} for a place"));
static_assert(refused("y = S^{12} + S^{ij} x^{ij}", unexpected, 1, 6, "S^{1,2} for places"));
static_assert(is_accepted("y = x_1^2 + x_2^2"));
// TeX takes one token for an argument without braces.
static_assert(refused("y = \\frac12 x", unexpected, 1, 10, "\\frac{1}{2}"));
static_assert(refused("y = 2^10", unexpected, 1, 7, "2^{10}"));
static_assert(refused("y_i = e^x_i", unexpected, 1, 9, "e^{x_i}"));
static_assert(refused("y = \\sqrt xy", unexpected, 1, 11, "one digit or letter"));
static_assert(is_accepted("y = \\frac1n x^2 + \\sqrt2 + e^x + \\frac\\alpha\\beta"));
static_assert(is_accepted("\\phi(x) = x^2\ny^i = \\phi(z^i) + x^i"));
static_assert(prints("S^{ij} = T^{0i} R^{j0}", "S^{ij} = T^{0,i} R^{j,0}"));
// A number in front of an index multiplies it, unless the name has an axis more elsewhere.
static_assert(prints("y = x^{2i} w^i", "y = x^{2i+0} w^{i}"));
static_assert(prints("y = x^{2i} w^i + x^{jk} z^{jk}", "y = x^{2,i} w^{i} + x^{jk} z^{jk}"));
static_assert(refused("y = x^{2i} w^i + x^{jk} z^{jk} + x^j v^j", mistake_kind::rank, 1, 8,
                      "write 2,i for a place and an index"));
// Labels and indices are not mixed.
static_assert(refused("S = X W_{Qi}", unexpected, 1, 8, "write a label as \\text{...}"));
static_assert(refused("h = A h_{T-1}", unexpected, 1, 8, "write a label as \\text{...}"));
static_assert(refused("v_A = M_{AB} w_B", unexpected, 1, 8, "indices"));
static_assert(is_accepted("S = W_{QK} x"));
// d_x is a number, unless the text gives it an index.
static_assert(prints("S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ik} K^{jk}",
                     "S^{ij} = \\frac{1}{\\sqrt{d_k}} Q^{ik} K^{jk}"));
static_assert(prints("L^{ij} = \\frac{A^{ij}}{\\sqrt{d_i d_j}}",
                     "L^{ij} = \\frac{A^{ij}}{\\sqrt{d^{i} d^{j}}}"));
static_assert(prints("n_k = \\sum_i r_{ik}\nm_k = \\frac{1}{n_k} \\sum_i r_{ik} x_i",
                     "n^{k} = \\sum_{i} r^{ik}\nm^{k} = \\frac{1}{n^{k}} \\sum_{i} r^{ik} x^{i}"));
// Another index of the same letter, or a tensor x that says places, is no index of d_k or n_x.
static_assert(is_accepted("d_k = \\sum_{k'} w^{k'}"));
static_assert(is_accepted("n_x = \\sum_i E^{x_i}"));
static_assert(prints("d_p = \\sum_l V^{lp}\nz^r = S^r + d_{\\text{model}} d_\\text{ff}",
                     "d^{p} = \\sum_{l} V^{lp}\nz^{r} = S^{r} + d_{\\text{model}} d_{\\text{ff}}"));
static_assert(prints("n_x = 2.5^{x} + (x + 1)^x", "n_x = 2.5^{x} + (x + 1)^{x}"));
// e and delta are tensors in texts that define them.
static_assert(prints("e^{ij} = a^i + b^j\nA^{ij} = \\exp(e^{ij})",
                     "e_{ij} = a^{i} + b^{j}\nA^{ij} = \\exp(e_{ij})"));
static_assert(refused("e^{ij} = a^i + b^j\nA^{ij} = e^{-x^{ij}}", unexpected, 2, 10, "\\exp(...)"));
static_assert(prints("A_{ij} = \\frac{e^{e_{ij}}}{\\sum_k e^{e_{ik}}}",
                     "A^{ij} = \\operatorname{softmax}_{j}(e_{ij})"));
static_assert(prints("\\delta^l = y^l - t^l\ng^{lk} = \\delta^l x^k",
                     "\\delta^{l} = y^{l} - t^{l}\ng^{lk} = \\delta^{l} x^{k}"));

// An accent without braces is over one sign, as in LaTeX.
static_assert(prints("y^i = \\hat X^i + \\hat{X}^i", "y^{i} = \\hat{X}^{i} + \\hat{X}^{i}"));
static_assert(
    prints("y^i = \\hat\\theta_1 x^i + \\hat{\\theta}_1 x^i",
           "y^{i} = \\hat{\\theta}_{\\text{1}} x^{i} + \\hat{\\theta}_{\\text{1}} x^{i}"));
static_assert(prints("y^i = \\hat\\theta_Q^i", "y^{i} = \\hat{\\theta}_Q^{i}"));
static_assert(prints("y^i = \\hat \\theta'^i", "y^{i} = \\hat{\\theta}'^{i}"));
// Words that size a bracket or a brace stand before one.
static_assert(refused("y^i = \\left x^i", unexpected, 1, 7, "\\left( or leave it out"));
static_assert(refused("y^i = x^i \\right", unexpected, 1, 11, "\\right) or leave it out"));
static_assert(refused("y^i = \\big \\alpha x^i", unexpected, 1, 7, "how large a bracket is"));
static_assert(
    is_accepted("y^i = \\bigl( \\left[ i < 3 \\right] \\left\\lfloor x^i \\right\\rfloor \\bigr)"));
static_assert(is_accepted("y^i = \\left | x^i \\right | + \\left\\lvert x^i \\right\\rvert"));
static_assert(refused("y^i = \\underbrace \\alpha x^i", unexpected, 1, 7, "\\underbrace{x^i"));
static_assert(refused("y^i = \\underbrace x^i", unexpected, 1, 7, "stands in braces"));

// A name before a parenthesis.
constexpr auto unknown = mistake_kind::unknown_function;
static_assert(refused("L = \\sum_i (y_i - f(x_i))^2", unknown, 1, 19, "f \\cdot (...)"));
static_assert(refused("y^i = \\sigma'(x^i)", unknown, 1, 7, "unknown function \\sigma'"));
static_assert(refused("y^i = a (x^i z^i)", unknown, 1, 7, "unknown function a"));
static_assert(is_accepted("y^i = \\lambda (x^i - z^i)"));
static_assert(is_accepted("y^i = a (x^i z^i) + a"));
static_assert(is_accepted("y^i = f \\cdot (x^i)"));
static_assert(is_accepted("f = 2 s\ny^i = f (x^i)"));
// The parameter of a function is a factor in its own line, and elsewhere another name. A left
// side's parentheses that are documentation show no factor.
static_assert(refused("\\rho(z) = z^3 - z\nX = \\rho(z (E^q)^{-1} G^q)", unknown, 2, 10,
                      "unknown function z"));
static_assert(refused("\\rho(z) = z^3 - z\nX = \\rho(v)\nY^i = z (x^i)", unknown, 3, 7,
                      "z \\cdot"));
static_assert(is_accepted("\\rho(z) = z^3 - z\nX = \\rho(z (E^q)^{-1} G^q) + z"));
static_assert(is_accepted("\\rho(f) = f (2)\nX = \\rho(v)"));
static_assert(is_accepted("L(\\theta) = \\theta x^i x^i\nY^i = \\theta (x^i)"));
static_assert(refused("L(f) = \\sum_i (y_i - f(x_i))^2", unknown, 1, 22, "f \\cdot (...)"));
static_assert(refused("S^a = R^{ab}(i) Q^{ib}", unexpected, 1, 7, "R^{abi}"));
static_assert(refused("y_i = \\sigma (x_i) + \\sigma", unexpected, 1, 7,
                      "\\operatorname{sigmoid}(...) or \\sigma \\cdot (...)"));
static_assert(refused("S^i = (q^i)^T", mistake_kind::index_free, 1, 12, "write them"));

}  // namespace
