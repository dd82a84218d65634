// Parts of one tensor, cases without an otherwise, brackets around a tensor, staggered indices.
#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;

// Parts that leave no place out are one definition ------------------------------------------------

static_assert(prints("P^{p,2a} = \\sin(p w^a)\nP^{p,2a+1} = \\cos(p w^a)",
                     "P^{p(2a+0)} = \\sin(p w^{a})\nP^{p(2a+1)} = \\cos(p w^{a})"));
static_assert(
    prints("PE_{(pos, 2i)} = \\sin\\left(\\frac{pos}{10000^{2i/d}}\\right), \\quad "
           "PE_{(pos, 2i+1)} = \\cos\\left(\\frac{pos}{10000^{2i/d}}\\right).",
           "\\text{PE}_{(pos,2i+0)} = \\sin(\\frac{pos}{10000^{2 \\frac{i}{d}}})\n"
           "\\text{PE}_{(pos,2i+1)} = \\cos(\\frac{pos}{10000^{2 \\frac{i}{d}}})"));
static_assert(prints("R^{1i} = s x^i; R^{0i} = c x^i; y^i = R^{0i} R^{1i}",
                     "R^{0,i} = c x^{i}\nR^{1,i} = s x^{i}\ny^{i} = R^{0,i} R^{1,i}"));
static_assert(prints("y^{3i} = x^i; y^{3i+2} = z^i; y^{3i+1} = W^{ij} x^j",
                     "y^{3i+0} = x^{i}\ny^{3i+1} = \\sum_{j} W^{ij} x^{j}\ny^{3i+2} = z^{i}") ||
              prints("y^{3i} = x^i; y^{3i+2} = z^i; y^{3i+1} = W^{ij} x^j",
                     "y^{3i+0} = x^{i}\ny^{3i+1} = W^{ij} x^{j}\ny^{3i+2} = z^{i}"));
static_assert(refused("P^{p,2a} = \\sin(p w^a)", mistake_kind::unexpected, 1, 1,
                      "P is defined at some of its places only"));
static_assert(refused("R^{0i} = x^i; R^{2i} = z^i", mistake_kind::unexpected, 1, 15,
                      "R has parts that do not fit together"));
static_assert(refused("R^{0i} = x^i; R^{0i} = z^i", mistake_kind::unexpected, 1, 15,
                      "fit together"));
static_assert(refused("R^{0i} = x^i; R^{1j} = z^j", mistake_kind::unexpected, 1, 15,
                      "same letters"));
static_assert(refused("R^{0i} = x^i; R^{ji} = z^i y^j", mistake_kind::unexpected, 1, 15, "fit"));
static_assert(refused("y^{2i} = x^i; y^{3i+1} = z^i", mistake_kind::unexpected, 1, 15, "fit"));

// Cases whose conditions leave nothing out --------------------------------------------------------

constexpr bool cases(ricci::detail::text_view conditions) {
    ricci::detail::text_builder text;
    text << "y^{ij} = \\begin{cases} x^{ij} & " << conditions << " \\end{cases}";
    return is_accepted(text);
}
static_assert(cases("i \\le j \\\\ 1 & i > j"));
static_assert(cases("i \\le j \\\\ 1 & i \\ge j + 1"));
static_assert(cases("i < j \\\\ 0 & i = j \\\\ 1 & j < i"));
static_assert(cases("i = 0 \\\\ 1 & \\text{if } i > 0"));
static_assert(cases("i \\bmod 2 = 0 \\\\ 1 & i \\bmod 2 = 1"));
static_assert(cases("|i - j| \\le w \\\\ 1 & |i - j| > w"));
static_assert(cases("i = j \\\\ 1 & \\lnot [i = j]"));
static_assert(cases("x^{ij} > 0 \\\\ 0 & x^{ij} \\le 0"));
static_assert(!cases("i < j \\\\ 1 & i > j"));
static_assert(!cases("i < j \\\\ 0 & i = j \\\\ 1 & i \\ge j + 2"));
static_assert(!cases("i \\bmod 3 = 0 \\\\ 1 & i \\bmod 3 = 1"));
static_assert(!cases("x^{ij} \\ge 1 \\\\ 0 & x^{ij} \\le 0"));
static_assert(!cases("i < j \\\\ 1 & w \\ge j"));
static_assert(!cases("i < 3"));
static_assert(refused("y^i = \\begin{cases} x^i & i < 3 \\end{cases}", mistake_kind::unexpected, 1,
                      7, "may leave something out"));

// Brackets hold a condition, or one tensor of bool ------------------------------------------------

static_assert(prints("y^{ij} = [m^{ij}] x^j + [\\lnot m^{ij} \\land j < i] z^j",
                     "y^{ij} = [m^{ij}] x^{j} + [[\\lnot [m^{ij}]] \\land [j < i]] z^{j}"));
static_assert(refused("y^i = [x^i + z^i] w^i", mistake_kind::unexpected, 1, 8,
                      "brackets hold a condition"));
static_assert(refused("y^i = [i] x^i", mistake_kind::unexpected, 1, 8,
                      "brackets hold a condition"));
static_assert(refused("m^i = x^i; y^i = [m^i] x^i", mistake_kind::unexpected, 1, 19,
                      "m is no input of bool"));

// Staggered indices are axes in the order written -------------------------------------------------

static_assert(prints("v^a = T^a{}_b w^b", "v^{a} = T^{ab} w^{b}"));
static_assert(prints("v^a = T{}_b{}^a w^b", "v^{a} = T^{ba} w^{b}"));
static_assert(prints("v^a = \\tensor{T_Q}{^a_b} w^b", "v^{a} = T_Q^{ab} w^{b}"));
static_assert(prints("v^a = T\\indices{^a_b} w^b", "v^{a} = T^{ab} w^{b}"));
static_assert(is_accepted("S = T^a{}_b T_a{}^b"));
static_assert(refused("S = T^a{}_b T_a^b", mistake_kind::rank, 1, 14, "stagger them everywhere"));

// Beside arithmetic of an index, the tensor's other places of that index are arithmetic as well,
// and no other index is.
static_assert(prints("y_{ij} = W_{i,j+1} - W_{ij} + z_j",
                     "y^{ij} = W^{i(j+1)} - W^{i(j+0)} + z^{j}"));
static_assert(prints("y_i = W_{i,i+1} - z_i", "y^{i} = W^{(i+0)(i+1)} - z^{i}"));

}  // namespace
