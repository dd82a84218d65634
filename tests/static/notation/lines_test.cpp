// Where equations end and go on, what := defines, and lines that keep a tensor.
#include <ricci/detail/bind/parse_and_define.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_view;
using ricci::ir::mistake_kind;
using ricci::testing::contains;
using ricci::testing::is_text;
using ricci::testing::latex_of;
using ricci::testing::prints;
using ricci::testing::refused;

// Lines -------------------------------------------------------------------------------------------

static_assert(prints("y^i = x^i\n    + z^i\n    - w^i", "y^{i} = x^{i} + z^{i} - w^{i}"));
static_assert(prints("y^i = x^i +\n z^i -\n\\quad w^i", "y^{i} = x^{i} + z^{i} - w^{i}"));
static_assert(prints("y^i\n= x^i\nz^i =\nx^i", "y^{i} = x^{i}\nz^{i} = x^{i}"));
static_assert(prints("y^i = x^i\n\\cdot z^i \\times\nw^i\n* v^i /\nu^i\n\\odot a^i",
                     "y^{i} = x^{i} z^{i} w^{i} \\frac{v^{i}}{u^{i}} a^{i}"));
static_assert(prints("y^i = x^i \\\\\n + z^i \\\\ - w^i\\\\u^i = y^i",
                     "y^{i} = x^{i} + z^{i} - w^{i}\nu^{i} = y^{i}"));
static_assert(prints("y^i = x^i % the first\n  % nothing\n  + z^i",  // a comment is no empty line
                     "y^{i} = x^{i} + z^{i}"));
static_assert(prints("y^i = x^i\r\n+ z^i", "y^{i} = x^{i} + z^{i}"));
static_assert(prints("\\begin{align} y^i &= x^i \\\\ &+ z^i \\end{align}",
                     "y^{i} = x^{i} + z^{i}"));
static_assert(prints("y^i = (x^i\nz^i \\\\\n+ w^i)", "y^{i} = x^{i} z^{i} + w^{i}"));
// a chain over two lines claims
static_assert(prints("y^i = x^i + x^i\n= 2 x^i",
                     "y^{i} = x^{i} + x^{i} \\Leftrightarrow y^{i} = "
                     "2 x^{i}"));
static_assert(prints("y^i = 2 x^i\n\\Leftrightarrow y_i = x_i + x_i",
                     "y^{i} = 2 x^{i} \\Leftrightarrow y^{i} = x^{i} + x^{i}"));
static_assert(prints("y^i = |x^i|\nz^<i,j> = v^<i,j>\nw^i = x^i",
                     "y^{i} = \\operatorname{abs}(x^{i})\nz^{ij} = v^{ij}\nw^{i} = x^{i}"));
static_assert(refused("y^i = x^i\n\n+ z^i", mistake_kind::unexpected, 3, 1, "starts with"));
static_assert(refused("y^i = x^i;\n+ z^i", mistake_kind::unexpected, 2, 1, "starts with"));
static_assert(refused("$y^i = x^i$\n+ z^i", mistake_kind::unexpected, 2, 1, "starts with"));
static_assert(refused("y^i = x^i +\n \t\nz^i", mistake_kind::unexpected, 2, 3, "before this"));
static_assert(refused("y^i = x^i,\n+ z^i", mistake_kind::unexpected, 1, 10, "should have ended"));
static_assert(refused("y^i = (x^i\n\n+ z^i)", mistake_kind::unbalanced, 1, 7, "the empty line"));

// Definitions -------------------------------------------------------------------------------------

constexpr text_view derivative =
    "\\frac{\\partial L}{\\partial X^{ib}} := "
    "\\frac{\\partial L}{\\partial Q^{hia}} W_Q^{hba}";
static_assert(prints(derivative, derivative));
static_assert(prints("y^i \\coloneqq x^i; z^i \xe2\x89\x94 x^i; w^i :=\nx^i",
                     "y^{i} = x^{i}\nz^{i} = x^{i}\nw^{i} = x^{i}"));
static_assert(prints("y^i := x^i + x^i = 2 x^i",
                     "y^{i} = x^{i} + x^{i} \\Leftrightarrow y^{i} = 2 x^{i}"));
static_assert(prints("\\frac{d y^i}{d t} := 2 \\frac{d x^i}{d t}",
                     "\\frac{d y^{i}}{d t} := 2 \\frac{d x^{i}}{d t}"));
static_assert(refused("y^i = x^i := x^i", mistake_kind::unexpected, 1, 11, "stands once"));
static_assert(refused("y^i := x^i := x^i", mistake_kind::unexpected, 1, 12, "stands once"));
static_assert(refused("y^i = x^i \\Leftrightarrow y^i := x^i", mistake_kind::unexpected, 1, 31,
                      "stands once"));
static_assert(refused("y^i = [i := j] x^j", mistake_kind::unexpected, 1, 10, "expected ]"));
static_assert(
    refused("\\frac{\\partial L}{\\partial x^i} := y^i\n"
            "\\frac{\\partial L}{\\partial x^i} := z^i",
            mistake_kind::defined_twice, 2, 1, "dL/dx is defined twice"));

/// What a text computes, its derivatives derived.
constexpr ricci::detail::text_builder computes(text_view text) {
    const auto read = ricci::detail::parse_and_define(text);
    ricci::detail::text_builder out;
    if (read.mistake) return out << read.mistake.words.view();
    return latex_of(read.program);
}
// a text that defines derivatives of L derives none
static_assert(is_text(computes("L = x^i x^i; \\frac{\\partial L}{\\partial x^i} := y^i\n"
                               "z^i = \\frac{\\partial L}{\\partial x^i} + x^i\n"
                               "w = \\frac{\\partial L}{\\partial s}"),
                      "L = x^{i} x^{i}\n\\frac{\\partial L}{\\partial x^{i}} := y^{i}\n"
                      "z^{i} = \\frac{\\partial L}{\\partial x^{i}} + x^{i}\n"
                      "w = \\frac{\\partial L}{\\partial s}\n"));
// and one that does not leaves out what is only on the way
static_assert(is_text(computes("L = \\sum_i (x^i)^3\n"
                               "H^{ij} = \\frac{\\partial^2 L}{\\partial x^i \\partial x^j}"),
                      "L = \\sum_{i} (x^{i})^{3}\n"
                      "\\frac{\\partial^2 L}{\\partial x^{i'} \\partial x^{i}} := 6 \\delta^{ii'} "
                      "x^{i}\n"
                      "H^{ij} = \\frac{\\partial^2 L}{\\partial x^{i} \\partial x^{j}}\n"));

// What is kept ------------------------------------------------------------------------------------

static_assert(prints("P^{ij} = A^{ik} B^{kj}\nP^{kl}\ny^i = P^{ij} x^j",
                     "P^{ij} = A^{ik} B^{kj}\nP^{ij}\ny^{i} = P^{ij} x^{j}"));
static_assert(prints("y^i = x^i\ny^i", "y^{i} = x^{i}"));  // an output anyway
static_assert(prints("s = x^i x^i; s; y^i = s x^i", "s = x^{i} x^{i}\ns\ny^{i} = s x^{i}"));
static_assert(is_text(computes("L = \\sum_i (x^i)^3\n\\frac{\\partial L}{\\partial x^i}"),
                      "L = \\sum_{i} (x^{i})^{3}\n"
                      "\\frac{\\partial L}{\\partial x^{i}} := 3 (x^{i})^{2}\n"));
static_assert(refused("y^i = x^i\nz^i", mistake_kind::unknown_name, 2, 1, "nothing defines z"));
static_assert(refused("y^i = x^i\nz^i = y^i\ny", mistake_kind::rank, 3, 1, "y has 0 indices"));
static_assert(refused("y^{ij} = x^{ij}\nz = y^{ii}\ny^{0j}", mistake_kind::unexpected, 3, 1,
                      "a letter for each index"));
static_assert(refused("y^{ij} = x^{ij}\ny^{ii}", mistake_kind::index_repeated, 2, 1, ""));
static_assert(contains(computes("\\frac{\\partial L}{\\partial x^i}"),
                       "nothing defines dL/dx, so that it cannot be kept"));

// Only the shape of a tensor ----------------------------------------------------------------------

constexpr bool is_computed(text_view text, text_view name) {
    const auto read = ricci::notation::parse_equations(text);
    return !read.program.names[read.program.find(name)].shape_only;
}
static_assert(!is_computed("S^{ij} = Q^{ia} K^{ja}; A^i = S^{ij} x^j\ny^i = (A^i)^0 z^i", "S"));
static_assert(!is_computed("S^{ij} = Q^{ia} K^{ja}; A^i = S^{ij} x^j\ny^i = (A^i)^0 z^i", "A"));
static_assert(is_computed("A^i = S^{ij} x^j\nA^i\ny^i = (A^i)^0 z^i", "A"));
static_assert(is_computed("A^i = S^{ij} x^j\ny^i = (A^i)^0 A^i", "A"));

// Axes ----------------------------------------------------------------------------------------------

#define AXIS(i, n, v) ", \\quad " i " \\in \\operatorname{axis}_{" n "}(" v ")"
static_assert(prints("y^i = [i < 2] w, \\quad i \\in \\operatorname{axis}_0(v)",
                     "y^{i} = [i < 2] w" AXIS("i", "0", "v")));
static_assert(
    prints("y^{ij} = [i < j] w, \\quad j \\in \\operatorname{axis}_1(W_Q),"
           "\\quad i \\in \\operatorname{axis}_{0}(\\frac{\\partial L}{\\partial X})\nz = w",
           "y^{ij} = [i < j] w" AXIS("i", "0", "\\frac{\\partial L}{\\partial X}")
               AXIS("j", "1", "W_Q") "\nz = w"));
// of the equation before it, or of the whole text
static_assert(prints("y = \\sum_j j\nz = \\sum_j j, \\quad j \\in \\operatorname{axis}_0(v)",
                     "y = \\sum_{j} j\nz = \\sum_{j} j" AXIS("j", "0", "v")));
static_assert(prints("j \\in \\operatorname{axis}_0(v)\ny = \\sum_j j\nz = \\sum_j j",
                     "y = \\sum_{j} j" AXIS("j", "0", "v") "\nz = \\sum_{j} j" AXIS("j", "0",
                                                                                    "v")));
static_assert(prints("y = \\sum_{j'} j'\nj' ∈ \\operatorname{axis}_0(v)",
                     "y = \\sum_{j'} j'" AXIS("j'", "0", "v")));
// what gives an axis stands before, and is no output
static_assert(prints("z = \\sum_j j, \\quad j \\in \\operatorname{axis}_0(A)\nA^i = x^{2i}",
                     "A^{i} = x^{2i+0}\nz = \\sum_{j} j" AXIS("j", "0", "A")));
static_assert(!is_computed("z = \\sum_j j, \\quad j \\in \\operatorname{axis}_0(A)\nA^i = x^{2i}",
                           "A"));
static_assert(refused("y = \\sum_i x^i, \\quad k \\in \\operatorname{axis}_0(x)",
                      mistake_kind::unexpected, 1, 23, "has an index k"));
static_assert(refused("y = \\sum_i x^i, \\quad i \\in \\operatorname{row}_0(x)",
                      mistake_kind::unexpected, 1, 23, "an index runs over an axis of a tensor"));
static_assert(refused("y = \\sum_i x^i, \\quad i \\in \\mathbb{R}", mistake_kind::index_free, 1, 25,
                      "leave out where a tensor lives"));
static_assert(
    refused("y = \\sum_i x^i, \\quad i \\in \\operatorname{axis}_0(x)\ni \\in "
            "\\operatorname{axis}_0(w)",
            mistake_kind::unexpected, 2, 1, "two axes are said of the index i"));

}  // namespace
