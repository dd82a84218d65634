// The normal form: which right sides are equal, and which are not.
#include <ricci/ir/normal.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::equal;

// Names of summed indices, order of factors and terms ---------------------------------------------

static_assert(equal("Y^{ik}", "A^{ij} B^{jk}", "B^{mk} A^{im}"));
static_assert(equal("Y^{ik}", "A^{ij} B^{jk}", "\\sum_{j} B^{jk} A^{ij}"));
static_assert(equal("Y^{i}", "x^{i} + z^{i} + w^{i}", "w^{i} + x^{i} + z^{i}"));
static_assert(equal("Y", "A^{ij} B^{jk} C^{ki}", "C^{ab} A^{bc} B^{ca}"));
static_assert(equal("Y", "A^{ij} A^{ji}", "A^{ab} A^{ba}"));
static_assert(equal("Y", "A^{ij} A^{jk} B^{ki}", "B^{ca} A^{ab} A^{bc}"));
static_assert(equal("Y^{i}", "A^{ij} \\exp(x^{j})", "\\exp(x^{k}) A^{ik}"));
static_assert(equal("Y^{i}", "\\exp(A^{ij} x^{j})", "\\exp(x^{k} A^{ik})"));
static_assert(equal("Y^{ij}", "\\operatorname{softmax}_j(Q^{ia} K^{ja})",
                    "\\operatorname{softmax}_j(K^{jb} Q^{ib})"));
static_assert(equal("Y^{i}", "\\max_j(A^{ij} x^{j})", "\\max_k(x^{k} A^{ik})"));

static_assert(!equal("Y^{ik}", "A^{ij} B^{jk}", "A^{ji} B^{jk}"));
static_assert(!equal("Y^{ik}", "A^{ij} B^{jk}", "A^{ij} B^{kj}"));
static_assert(!equal("Y", "A^{ij} B^{jk} C^{ki}", "A^{ij} B^{ki} C^{jk}"));
static_assert(!equal("Y", "A^{ij} A^{ij}", "A^{ij} A^{ji}"));
static_assert(!equal("Y", "A^{ii}", "\\sum_{i,j} A^{ij}"));
static_assert(!equal("Y^{ij}", "x^{i} z^{j}", "x^{j} z^{i}"));
static_assert(!equal("Y^{i}", "x^{i} z^{i}", "x^{i} x^{i}"));
static_assert(!equal("Y^{ij}", "\\operatorname{softmax}_j(S^{ij})",
                     "\\operatorname{softmax}_i(S^{ij})"));
static_assert(!equal("Y^{i}", "\\max_j(A^{ij})", "\\min_j(A^{ij})"));

// Sums --------------------------------------------------------------------------------------------

static_assert(equal("Y^{i}", "(\\sum_{j} A^{ij}) (\\sum_{k} B^{ik})", "\\sum_{j,k} A^{ij} B^{ik}"));
static_assert(equal("Y^{i}", "(\\sum_{j} A^{ij}) (\\sum_{j} B^{ij})", "\\sum_{j,k} A^{ij} B^{ik}"));
static_assert(equal("Y", "(\\sum_{j} x^{j})^2", "\\sum_{j,k} x^{j} x^{k}"));
static_assert(equal("Y^{i}", "\\sum_{j} (A^{ij} + B^{ij})", "\\sum_{j} A^{ij} + \\sum_{k} B^{ik}"));
static_assert(equal("Y^{i}", "a \\sum_{j} A^{ij}", "\\sum_{j} a A^{ij}"));
static_assert(equal("Y^{i}", "\\sum_{j} \\sum_{k} A^{ijk}", "\\sum_{k,j} A^{ijk}"));

static_assert(!equal("Y^{i}", "(\\sum_{j} A^{ij}) (\\sum_{j} B^{ij})", "\\sum_{j} A^{ij} B^{ij}"));
static_assert(!equal("Y", "(\\sum_{j} x^{j})^2", "\\sum_{j} x^{j} x^{j}"));
static_assert(!equal("Y", "\\exp(\\sum_{j} x^{j})", "\\sum_{j} \\exp(x^{j})"));

// the caller says how long j and k are
static_assert(!equal("Y^{i}", "x^{i} \\sum_{j} j", "x^{i} \\sum_{k} k"));
static_assert(!equal("Y^{i}", "\\exp(x^{i} \\sum_{j} j)", "\\exp(x^{i} \\sum_{k} k)"));
static_assert(!equal("Y^{i}", "x^{i} / \\sum_{j} 1", "x^{i} / \\sum_{k} 1"));
static_assert(equal("Y^{i}", "\\sum_{j} A^{ij} j", "\\sum_{k} A^{ik} k"));

// Products, powers and constants ------------------------------------------------------------------

static_assert(equal("Y^{i}", "2 x^{i} + 3 x^{i}", "5 x^{i}"));
static_assert(equal("Y^{i}", "x^{i} - x^{i} + z^{i}", "z^{i}"));
static_assert(equal("Y^{i}", "0.1 x^{i} + 0.2 x^{i}", "0.3 x^{i}"));
static_assert(equal("Y^{i}", "(a + b) x^{i}", "b x^{i} + a x^{i}"));
static_assert(equal("Y^{i}", "(x^{i} - z^{i}) (x^{i} + z^{i})", "(x^{i})^2 - (z^{i})^2"));
static_assert(equal("Y^{i}", "(x^{i} + 1)^3", "(x^{i})^3 + 3 (x^{i})^2 + 3 x^{i} + 1"));
static_assert(equal("Y^{i}", "x^{i} x^{i} x^{i}", "(x^{i})^3"));
static_assert(equal("Y^{i}", "-(x^{i} - z^{i})", "z^{i} - x^{i}"));
static_assert(equal("Y^{i}", "\\frac{a}{b} x^{i}", "\\frac{a x^{i}}{b}"));
static_assert(equal("Y^{i}", "\\frac{a}{b} x^{i}", "a x^{i} b^{-1}"));
static_assert(equal("Y^{i}", "\\frac{x^{i} + z^{i}}{2}", "0.5 x^{i} + z^{i} / 2"));
static_assert(equal("Y^{i}", "\\frac{1}{\\sqrt{d}} x^{i}", "x^{i} d^{-1/2}"));
static_assert(equal("Y^{i}", "\\frac{x^{i}}{\\sqrt{64}}", "0.125 x^{i}"));
static_assert(equal("Y^{i}", "\\exp(x^{i} + z^{i})", "\\exp(z^{i} + x^{i})"));
static_assert(equal("Y^{ij}", "[j \\le i] x^{i}", "x^{i} [i \\ge j]"));

// Numbers are exact: as they are written, however long
// ----------------------------------------------

static_assert(equal("Y^{i}", "9007199254740993 x^{i}", "9007199254740993.0 x^{i}"));
static_assert(equal("Y^{i}", "18014398509481986 x^{i}", "2 \\cdot 9007199254740993 x^{i}"));
static_assert(equal("Y^{i}", "10^{400} x^{i}", "10^{200} \\cdot 10^{200} x^{i}"));
static_assert(equal("Y^{i}", "2^{64} x^{i}", "2 \\cdot 2^{63} x^{i}"));
static_assert(equal("Y^{i}", "6.02214076 \\cdot 10^{23} x^{i}", "602214076000000000000000 x^{i}"));
static_assert(equal("Y^{i}", "\\sqrt{2} \\sqrt{2} x^{i}", "2 x^{i}"));
static_assert(equal("Y^{i}", "\\sqrt{8} x^{i}", "2 \\sqrt{2} x^{i}"));
static_assert(equal("Y^{i}", "\\frac{x^{i}}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2} x^{i}"));
static_assert(equal("Y^{i}", "\\sqrt{6} x^{i}", "\\sqrt{2} \\sqrt{3} x^{i}"));
static_assert(equal("Y^{i}", "\\sqrt{2 \\pi} x^{i}", "\\sqrt{2} \\sqrt{\\pi} x^{i}"));
static_assert(equal("Y^{i}", "\\frac{\\pi x^{i}}{\\pi}", "x^{i}"));
static_assert(equal("Y^{i}", "(x^{i})^{1/3} (x^{i})^{2/3}", "x^{i}"));
static_assert(equal("Y^{i}", "0.1 \\cdot 0.1 x^{i}", "0.01 x^{i}"));
static_assert(equal("Y^{i}", "10^{-400} \\cdot 10^{401} x^{i}", "10 x^{i}"));

static_assert(!equal("Y^{i}", "9007199254740993 x^{i}", "9007199254740992 x^{i}"));
static_assert(!equal("Y^{i}", "\\pi x^{i}", "3.14159265358979 x^{i}"));
static_assert(!equal("Y^{i}", "\\pi x^{i}", "3.141592653589793238 x^{i}"));
static_assert(!equal("Y^{i}", "\\pi x^{i}", "\\frac{245850922}{78256779} x^{i}"));
static_assert(!equal("Y^{i}", "10^{400} x^{i}", "10^{401} x^{i}"));
static_assert(!equal("Y^{i}", "10^{-200} \\cdot 10^{-200} x^{i}", "0"));
static_assert(!equal("Y^{i}", "10^{300} 10^{300} x^{i}", "10^{301} 10^{300} x^{i}"));
static_assert(!equal("Y^{i}", "2^{64} x^{i}", "18446744073709551615 x^{i}"));
static_assert(!equal("Y^{i}", "\\sqrt{2} x^{i}", "1.41421356237309505 x^{i}"));
static_assert(!equal("Y^{i}", "\\sqrt{2} x^{i}", "1.4142135623731 x^{i}"));
static_assert(!equal("Y^{i}", "(x^{i})^{1/3}", "(x^{i})^{0.333333333333333}"));
static_assert(!equal("Y^{i}", "(x^{i})^{1/3}", "(x^{i})^{0.33333333333333333}"));
static_assert(!equal("Y^{i}", "0.1 x^{i} + 0.2 x^{i}", "0.30000000000000004 x^{i}"));
static_assert(!equal("Y^{i}", "\\exp(1.00000000000000001) x^{i}", "\\exp(1) x^{i}"));
static_assert(!equal("Y^{i}", "\\infty x^{i} - \\infty x^{i}", "0"));

static_assert(!equal("Y^{i}", "2 x^{i}", "3 x^{i}"));
static_assert(!equal("Y^{i}", "x^{i}", "-x^{i}"));
static_assert(!equal("Y^{i}", "(x^{i} + z^{i})^2", "(x^{i})^2 + (z^{i})^2"));
static_assert(!equal("Y^{i}", "\\frac{1}{x^{i} + z^{i}}", "\\frac{1}{x^{i}} + \\frac{1}{z^{i}}"));
static_assert(!equal("Y^{i}", "\\sqrt{(x^{i})^2}", "x^{i}"));  // it is |x|
static_assert(!equal("Y^{i}", "\\exp(x^{i})", "\\exp(2 x^{i})"));
static_assert(!equal("Y^{i}", "\\sin(x^{i})", "\\cos(x^{i})"));
static_assert(!equal("Y^{ij}", "[j \\le i] x^{i}", "[j < i] x^{i}"));
static_assert(!equal("Y^{i}", "x^{i} + 1", "x^{i}"));

// Deltas, positions -------------------------------------------------------------------------------

static_assert(equal("Y^{i}", "\\delta^{ij} x^{j}", "x^{i}"));
static_assert(equal("Y^{ik}", "A^{ij} \\delta^{jk}", "A^{ik}"));
static_assert(equal("Y^{ik}", "\\delta^{ij} \\delta^{jk}", "\\delta^{ik}"));
static_assert(equal("Y^{ik}", "\\delta^{ij} A^{jl} \\delta_{lk}", "A^{ik}"));
static_assert(equal("Y^{ij}", "\\delta^{ij} x^{i}", "\\delta^{ji} x^{i}"));
static_assert(equal("Y^{i}", "A^{ij} b^{i-j} x^{j}", "x^{k} b^{i-k} A^{ik}"));
static_assert(equal("Y^{i}", "P^{i(ha)} W^{ha}", "W^{kc} P^{i(kc)}"));

static_assert(!equal("Y^{ij}", "\\delta^{ij} x^{i}", "x^{i} z^{j}"));
static_assert(!equal("Y^{i}", "A^{ij} b^{i-j} x^{j}", "A^{ij} c^{i+j} x^{j}"));
static_assert(!equal("Y^{i}", "A^{i0}", "A^{i1}"));

}  // namespace
