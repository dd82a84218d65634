// Text as it is pasted from papers: points, labels, fonts, sizes, and characters beyond ASCII.
#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;

// Points, numbers and what stands between equations -----------------------------------------------

static_assert(prints("y^i = A^{ij} x^j,", "y^{i} = A^{ij} x^{j}"));
static_assert(prints("y^i = 2 x^i.", "y^{i} = 2 x^{i}"));
static_assert(prints("y^i = A^{ij} x^j. \\tag{1}", "y^{i} = A^{ij} x^{j}"));
static_assert(prints("y^i = x^i, \\label{eq:x}\nz^i = y^i \\tag*{A.1}.",
                     "y^{i} = x^{i}\nz^{i} = y^{i}"));
static_assert(prints("y^i = x^i, \\quad z^i = y^i \\nonumber.", "y^{i} = x^{i}\nz^{i} = y^{i}"));
static_assert(
    prints("\\begin{align} y^i &= x^i, & z^i &= y^i, \\label{eq:a}\\\\ w^i &= z^i. \\end{align}",
           "y^{i} = x^{i}\nz^{i} = y^{i}\nw^{i} = z^{i}"));
static_assert(refused("y^i = x^i, z^i = y^i", mistake_kind::unexpected, 1, 10,
                      "should have ended"));
static_assert(prints("y = A_{0,1} + T_{i,0} x^i",
                     "y = A_{0,1} + T^{i,0} x^{i}"));  // lists keep theirs
static_assert(prints("Q^<h,i> = P^<i,h>", "Q^{hi} = P^{ih}"));
static_assert(refused("y = x \\label{eq", mistake_kind::unbalanced, 1, 7, "never closed"));

// Fonts and sizes ---------------------------------------------------------------------------------

static_assert(
    prints("\\mathcal{L} = \\sum_i x^i; G^i = \\frac{\\partial \\mathcal L}{\\partial x^i}",
           "L = \\sum_{i} x^{i}\nG^{i} = \\frac{\\partial L}{\\partial x^{i}}"));
static_assert(refused("\\mathcal{L} = \\sum_i x^i; L = \\sum_i y^i", mistake_kind::unexpected, 1,
                      27, "L is written with and without"));
static_assert(refused("y = \\boldsymbol{\\theta}^i \\theta^i", mistake_kind::unexpected, 1, 27,
                      "written with and without"));
static_assert(prints("\\mathbf{y}^i = \\boldsymbol{\\theta}^i + \\bm{W}_Q^i + \\bm zx",
                     "y^{i} = \\theta^{i} + W_Q^{i} + z x"));
static_assert(prints("\\boldsymbol{\\hat{y}}^i = \\mathbf{Wx}^i", "\\hat{y}^{i} = \\text{Wx}^{i}"));
static_assert(
    prints("M^{ij} = \\mathbb{1}[i \\le j] + \\mathbb{1}\\left[i < j\\right] + "
           "\\mathbf{1}\\bigl[j < i\\bigr]",
           "M^{ij} = [i \\le j] + [i < j] + [j < i]"));
static_assert(prints("y^i = \\Bigl( x^i + \\biggl(z^i\\biggr) \\Bigr)^2",
                     "y^{i} = (x^{i} + z^{i})^{2}"));
static_assert(refused("y^i = \\left. x^i \\right|", mistake_kind::unexpected, 1, 7,
                      "is evaluated"));
static_assert(refused("y^i = \\left[x^i\\right.", mistake_kind::unexpected, 1, 16,
                      "needs its partner"));

// Characters --------------------------------------------------------------------------------------

static_assert(prints("y^i = \xce\xb1 x^i \xe2\x88\x92 \xce\xb2 \xc2\xb7 z^i \xc3\x97 w",
                     "y^{i} = \\alpha x^{i} - \\beta z^{i} w"));
static_assert(prints("y^i = A^{i\xce\xb1} \\theta^\\alpha + \xce\xb8^i",
                     "y^{i} = A^{i\\alpha } "
                     "\\theta^{\\alpha } + \\theta^{i}"));
static_assert(prints("S = \xe2\x88\x91_i \xe2\x88\x9a(x^i)", "S = \\sum_{i} \\sqrt{x^{i}}"));
static_assert(prints("M^{ij} = -\xe2\x88\x9e [i \xe2\x89\xa4 j \xe2\x88\xa7 i \xe2\x89\xa0 0]",
                     "M^{ij} = -\\infty [[i \\le j] \\land [i \\ne 0]]"));
static_assert(prints("\xef\xbb\xbfy^i\xc2\xa0=\xe2\x80\x89x^i\xe2\x80\x8bz^i",
                     "y^{i} = x^{i} z^{i}"));
static_assert(prints("y^i = \xf0\x9d\x91\xa5^i", "y^{i} = x^{i}"));
static_assert(prints("A^{ij} = \xf0\x9d\x9f\x99[i = j]", "A^{ij} = [i = j]"));
static_assert(refused("y = x\xc2\xb2", mistake_kind::unexpected, 1, 6,
                      "U+00B2, which looks like ^2"));
static_assert(refused("y = x\xe2\x82\x81", mistake_kind::unexpected, 1, 6, "write _1"));
static_assert(refused("y = x \xe2\x88\xbc z", mistake_kind::unexpected, 1, 7, "U+223C"));
static_assert(refused("y = \xc2\xa2", mistake_kind::unexpected, 1, 5,
                      "the character U+00A2 is none of the notation"));

// A mistake is one line, whatever is marked -------------------------------------------------------

constexpr bool one_line(ricci::detail::text_view text) {
    const auto read = ricci::notation::parse_equations(text);
    for (char c : read.mistake.words.view())
        if (static_cast<unsigned char>(c) < ' ') return false;
    return static_cast<bool>(read.mistake);
}
static_assert(one_line("y^i = x^{i\nj\n}"));
static_assert(one_line("y^i =\t\x1b[1m x^i"));
static_assert(one_line("y^i = (\r\n x^i"));

}  // namespace
