// Functions by their words and brackets, \pi, the imaginary unit, and names that are no functions.
#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::prints_plain;
using ricci::testing::refused;

// Functions ---------------------------------------------------------------------------------------

static_assert(prints("y^i = \\tan x^i + \\arctan(x^i)", "y^{i} = \\tan(x^{i}) + \\arctan(x^{i})"));
static_assert(prints("y^i = \\sinh x^i \\cosh^2 x^i", "y^{i} = \\sinh(x^{i}) (\\cosh(x^{i}))^{2}"));
static_assert(prints("y^i = \\operatorname{softplus}(x^i) + \\text{softplus}(x^i)",
                     "y^{i} = \\operatorname{softplus}(x^{i}) + \\operatorname{softplus}(x^{i})"));
static_assert(prints("y^i = \\operatorname{sgn} x^i", "y^{i} = \\operatorname{sign}(x^{i})"));
static_assert(prints("y^i = \\operatorname{sqrt}(x^i)", "y^{i} = \\sqrt{x^{i}}"));
static_assert(prints("y^i = \\lfloor x^i / 2 \\rfloor + \\left\\lceil |x^i| \\right\\rceil",
                     "y^{i} = \\operatorname{floor}(\\frac{x^{i}}{2}) + "
                     "\\operatorname{ceil}(\\operatorname{abs}(x^{i}))"));
static_assert(prints("y^i = \u230a x^i \u230b \u2308 z \u2309",
                     "y^{i} = \\operatorname{floor}(x^{i}) \\operatorname{ceil}(z)"));
static_assert(refused("y^i = \\lfloor x^i \\rceil", mistake_kind::unbalanced, 1, 7, "not closed"));
static_assert(refused("y^i = \\lfloor x^i", mistake_kind::unbalanced, 1, 7, "never closed"));
static_assert(refused("y^i = x^i \\rfloor", mistake_kind::unbalanced, 1, 11, "closes nothing"));
static_assert(refused("y = \\lfloor a + \\rfloor", mistake_kind::unexpected, 1, 17,
                      "expected a factor"));
static_assert(prints("y^i = \\Re z^i + \\Im(z^i) + \\operatorname{Re}(z^i)^2",
                     "y^{i} = \\operatorname{Re}(z^{i}) + \\operatorname{Im}(z^{i}) + "
                     "(\\operatorname{Re}(z^{i}))^{2}"));
static_assert(prints_plain("y^i = \\Im z^i", "y[i] = Im(z[i])"));

// \pi is a number unless it has indices -----------------------------------------------------------

static_assert(prints("A = \\pi r^2", "A = \\pi r^{2}"));
static_assert(prints("y = \\sin(2\\pi t) + \\pi^2 + \\pi^{-1} + \\frac{\\pi}{2}",
                     "y = \\sin(2 \\pi t) + \\pi^{2} + \\pi^{-1} + \\frac{\\pi}{2}"));
static_assert(prints("y = (\\pi)^{n} 2", "y = (\\pi)^{n} 2"));
static_assert(prints("y^{ij} = \\pi^i \\pi_j", "y^{ij} = \\pi^{i} \\pi^{j}"));
static_assert(prints("y^k = \\pi^k \\pi", "y^{k} = \\pi^{k} \\pi"));
static_assert(prints("y = \\pi_{\\text{new}} \\pi'", "y = \\pi_{\\text{new}} \\pi'"));
static_assert(refused("y^k = \\pi^k \\pi^2", mistake_kind::unexpected, 1, 16,
                      "a power and a place"));
static_assert(refused("\\pi = 3", mistake_kind::unexpected, 1, 1,
                      "\\pi without indices is the number"));

// The imaginary unit ------------------------------------------------------------------------------

static_assert(prints("y^i = e^{\\mathrm{i} \\pi x^i}", "y^{i} = \\exp(\\mathrm{i} \\pi x^{i})"));
static_assert(prints("y = \\mathrm{i}^2 + 2 \\mathrm{i}", "y = (\\mathrm{i})^{2} + 2 \\mathrm{i}"));
static_assert(prints("y = \\text{i}", "y = i"));
static_assert(refused("y^k = \\mathrm{i}_k", mistake_kind::unexpected, 1, 7, "no indices"));
static_assert(refused("\\mathrm{i} = 3", mistake_kind::unexpected, 1, 1, "imaginary unit"));
static_assert(is_accepted("y^k = \\mathrm{i} x^k = \\frac{-x^k}{\\mathrm{i}}"));

// What stands in \operatorname is a function ------------------------------------------------------

static_assert(refused("y^i = \\operatorname{cumsum}_i x^i", mistake_kind::unknown_function, 1, 7,
                      "write \\sum_{j \\le i} x^j"));
static_assert(refused("y^i = \\operatorname{foo}_i x^i", mistake_kind::unknown_function, 1, 7,
                      "softplus, sign"));
static_assert(refused("y^i = cumsum_i x^i", mistake_kind::unknown_function, 1, 7,
                      "write \\sum_{j \\le i} x^j"));
static_assert(refused("Y^{ia} = \\operatorname{LayerNorm}_a X^{ia}", mistake_kind::unknown_function,
                      1, 10, "unknown function LayerNorm"));
static_assert(refused("y^i = \\operatorname{sotfplus} x^i", mistake_kind::unknown_function, 1, 7,
                      "did you mean softplus?"));
static_assert(refused("y^i = \\operatorname{Foo}", mistake_kind::unknown_function, 1, 7,
                      "unknown function Foo"));
static_assert(refused("\\operatorname{Foo}^i = x^i", mistake_kind::unexpected, 1, 1,
                      "\\text{...}"));
static_assert(refused("y^h = \\arg\\max_j A^{hj}", mistake_kind::index_free, 1, 7,
                      "the place of the largest value is \\operatorname{argmax}_j"));
// Tensors of places, which stand alone on the right and are no numbers.
static_assert(prints("y^h = \\operatorname{argmax}_j A^{hj}",
                     "y^{h} = \\operatorname{argmax}_{j}(A^{hj})"));
static_assert(prints("y^h = (argmin_j(A^{hj} B^{hj}))",
                     "y^{h} = \\operatorname{argmin}_{j}(A^{hj} B^{hj})"));
static_assert(
    prints("y_i = \\operatorname{argmin}_j \\sum_a (x^{ia} - z^{ja})^2; Q^{ia} = z^{y_i a}; "
           "n^k = \\sum_i [y_i = k]",
           "y^{i} = \\operatorname{argmin}_{j}(\\sum_{a} (x^{ia} - z^{ja})^{2})\n"
           "Q^{ia} = z^{y_{i}a}\nn^{k} = \\sum_{i} [y^{i} = k]"));
static_assert(prints("y^h = \\operatorname{argmax}_j A^{hj}; y^h; Q^h = A^{h y^h}",
                     "y^{h} = \\operatorname{argmax}_{j}(A^{hj})\ny^{h}\nQ^{h} = A^{hy_{h}}"));
static_assert(refused("y^h = 2 \\operatorname{argmax}_j A^{hj}", mistake_kind::unexpected, 1, 9,
                      "in an equation of its own"));
static_assert(refused("Y^{ha} = X^{y^h a} + z^a; z^a = \\max_h \\operatorname{argmax}_j A^{hja}",
                      mistake_kind::unexpected, 1, 40, "in an equation of its own"));
static_assert(refused("y^h = \\operatorname{argmax}_j A^{hj}; s = \\sum_h y^h",
                      mistake_kind::unexpected, 1, 50, "no numbers to compute with"));
static_assert(refused("y^h = \\operatorname{argmax}_j A^{hj}; z^h = y^h", mistake_kind::unexpected,
                      1, 45, "no numbers to compute with"));
static_assert(refused("y = \\operatorname{argmin}_{hj} A^{hj}", mistake_kind::unexpected, 1, 5,
                      "the axis of one index"));
static_assert(refused("y^h = \\operatorname{argmax}_{j \\le h} A^{hj}", mistake_kind::unexpected, 1,
                      7, "as a value that is never the largest"));
static_assert(refused("y^h = \\operatorname{argmax}(A^{hj})", mistake_kind::unexpected, 1, 7,
                      "argmax needs the index"));
static_assert(refused("y^h = \\operatorname{argmin}_j(A^{hj})^2", mistake_kind::unexpected, 1, 7,
                      "\\operatorname{argmin}"));
static_assert(prints("\\operatorname{foo}(x) = x + 1; y^i = \\operatorname{foo}(x^i)",
                     "y^{i} = x^{i} + 1"));
// The index of a call may be the letter of the definition.
static_assert(
    prints("\\operatorname{LN}_a(x) = x - \\operatorname{mean}_a x; "
           "Y^{ia} = \\operatorname{LN}_a(X^{ia})",
           "Y^{ia} = X^{ia} - \\operatorname{mean}_{a'}(X^{ia'})"));
static_assert(is_accepted("\\text{LayerNorm}^{ia} = X^{ia}; Y^{ia} = \\text{LayerNorm}_{ia}"));
static_assert(is_accepted("y^i = \\frac{x^i}{\\text{norm}^i}"));

// and the word of a function is no tensor ---------------------------------------------------------

static_assert(refused("y^i = \\text{abs}^i", mistake_kind::unexpected, 1, 7,
                      "\\operatorname{abs}(...)"));
static_assert(refused("y^i = \\text{exp} x^i", mistake_kind::unexpected, 1, 7, "another name"));
static_assert(refused("y^i = floor^i", mistake_kind::unexpected, 1, 7, "floor is a function"));
static_assert(refused("\\text{abs}^i = x^i", mistake_kind::unexpected, 1, 1, "abs is a function"));
static_assert(
    is_accepted("y^i = \\text{abs}(x^i) + \\text{exp}^2(x^i) + \\mathrm{sin}\\left(x^i\\right)"));
static_assert(is_accepted("y^{ij} = \\text{softmax}_j(x^{ij})"));
static_assert(prints("y^i = \\text{exp}_{\\text{new}} x^i",
                     "y^{i} = \\text{exp}_{\\text{new}} x^{i}"));

}  // namespace
