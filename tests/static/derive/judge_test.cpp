// Verdicts on claims: proved, refuted with numbers, not proved.
#include <ricci/derive/judge.hpp>

#include <ricci/detail/bind/parse_and_prove.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::derive::verdict;
using ricci::testing::contains;
using ricci::testing::text_view;

/// What is said of the first claim of a text that is not proved.
constexpr bool is(verdict wanted, text_view text, text_view words = "") {
    const auto read = ricci::notation::parse_equations(text);
    if (read.mistake) throw "the text of the test has a mistake";
    for (std::int32_t e = 0; e < read.program.equations.size(); ++e) {
        if (!read.program.equations[e].claim) continue;
        const auto j = ricci::derive::judge_claim(read.program, e);
        if (j.verdict == verdict::proved) continue;
        return j.verdict == wanted && contains(j.words, words);
    }
    return wanted == verdict::proved;
}
constexpr bool proved(text_view text) { return is(verdict::proved, text); }
constexpr bool refuted(text_view text, text_view words = "") {
    return is(verdict::refuted, text, words);
}
constexpr bool unproved(text_view text, text_view words = "") {
    return is(verdict::unproved, text, words);
}

// Refuted only with numbers -----------------------------------------------------------------------

static_assert(
    refuted("Z^{ij} = A^{ik} B^{kj} = A^{ik} B^{jk}",
            "with A = [[-2, -1], [1, -2]], B = [[1, 1], [-1, 1]], at i = 0, j = 0 this is -3 "
            "and Z is -1"));
static_assert(refuted("y^i = \\sqrt{(x^i)^2} = x^i", "this is -2 and y is 2"));
static_assert(refuted("y^i = \\frac{1}{3} x^i = 0.333333333333 x^i"));  // exact, not nearly
static_assert(refuted("y^{i} = \\sum_k x^{2i+k} w^k = \\sum_m w^m x^{i+m}"));
static_assert(refuted("y^i = \\tanh(x^i) = x^i"));
static_assert(refuted("y^i = \\log(x^i + z^i) = \\log(x^i) + \\log(z^i)"));

// Neither true nor false --------------------------------------------------------------------------

static_assert(unproved("Y^i = \\exp(X^i + Z^i) = \\exp(X^i) \\exp(Z^i)", "alike in the numbers"));
static_assert(
    unproved("A^{ij} = \\text{softmax}_j(S^{ij})\n"
             "\\frac{\\partial L}{\\partial S^{ij}} = A^{ij} (\\frac{\\partial L}{\\partial "
             "A^{ij}} - D^i)",
             "nothing defines D"));
static_assert(unproved("y^i = 2 x^i = 2 x^i + D^i", "nothing defines D"));
static_assert(unproved("y^i = 2 x^i\n\\frac{\\partial L}{\\partial Z^i} = 2 x^i",
                       "nothing defines Z, so nothing can be claimed of it"));

// Merged axes, Jacobians and steps of the chain rule, on either side ------------------------------

static_assert(proved("C^{i(hc)} = O^{hic}\nY^{id} = C^{i(hc)} W_O^{hcd} = O^{hic} W_O^{hcd}"));
static_assert(
    proved("Q^{hia} = X^{ib} W^{hba}\n\\frac{\\partial L}{\\partial W^{hba}} = "
           "\\frac{\\partial L}{\\partial Q^{gic}} \\frac{\\partial Q^{gic}}{\\partial "
           "W^{hba}}"));
static_assert(
    refuted("Q^{hia} = X^{ib} W^{hba}\n\\frac{\\partial L}{\\partial W^{hba}} = 2 "
            "\\frac{\\partial L}{\\partial Q^{gic}} \\frac{\\partial Q^{gic}}{\\partial "
            "W^{hba}}"));

// Arithmetic of positions, and of constants -------------------------------------------------------

static_assert(proved("Y^{ij} = x^{i+j} = x^{j+i}"));
static_assert(proved("y^{i} = \\sum_k x^{i+k} w^k = \\sum_m w^m x^{m+i}"));
static_assert(proved("E^{ij} = |i - j| = |j - i|"));
static_assert(proved("y^i = \\frac{1}{3} x^i + \\frac{2}{3} x^i = x^i"));
static_assert(proved("y^i = \\frac{x^i}{3} - \\frac{x^i}{7} = \\frac{4}{21} x^i"));
static_assert(refuted("y^i = 0.1 x^i = 0.1000000000001 x^i"));
static_assert(refuted("Y^{ij} = x^{2i+j} = x^{i+2j}"));

// Numbers are exact, beyond the doubles too -------------------------------------------------------

static_assert(refuted("y^i = 10^{400} x^i = 10^{401} x^i", "beyond what a double holds"));
static_assert(refuted("y^i = 10^{-200} \\cdot 10^{-200} x^i = 0"));
static_assert(refuted("y^i = 9007199254740993 x^i = 9007199254740992 x^i"));
static_assert(refuted("y^i = 2^{64} x^i = 18446744073709551615 x^i"));
static_assert(unproved("y^i = \\pi x^i = 3.14159265358979 x^i"));
static_assert(unproved("y^i = \\sqrt{2} x^i = 1.41421356237309505 x^i"));
static_assert(proved("y^i = 10^{400} x^i = 10^{200} \\cdot 10^{200} x^i"));
static_assert(proved("y^i = \\frac{2}{\\sqrt{\\pi}} x^i = 2 \\pi^{-1/2} x^i"));
static_assert(
    proved("y^i = \\operatorname{erf}(x^i)\n\\frac{\\partial L}{\\partial x^i} = "
           "\\frac{2}{\\sqrt{\\pi}} \\exp(-(x^i)^2) \\frac{\\partial L}{\\partial y^i}"));

// What L depends on -------------------------------------------------------------------------------

#define SOFTMAX_GRADIENT                                                                       \
    "\\frac{\\partial L}{\\partial S^{ij}} = A^{ij} (\\frac{\\partial L}{\\partial A^{ij}} - " \
    "\\sum_{j'} A^{ij'} \\frac{\\partial L}{\\partial A^{ij'}})"
static_assert(proved("A^{ij} = \\text{softmax}_j(S^{ij})\nE^{ij} = -S^{ij}\n" SOFTMAX_GRADIENT));
// of two tensors it depends on the last one, and on the other through it
static_assert(
    proved("A^{ij} = \\text{softmax}_j(S^{ij})\nO^{ib} = A^{ij} V^{jb}\n"
           "\\frac{\\partial L}{\\partial S^{ij}} = A^{ij} (\\frac{\\partial L}{\\partial "
           "A^{ij}} - \\sum_b O^{ib} \\frac{\\partial L}{\\partial O^{ib}})"));
static_assert(
    proved("z^i = A^{ij} x^j\nL = z^i z^i\n\\frac{\\partial L}{\\partial x^j} = 2 A^{ij} z^i"));
static_assert(
    refuted("z^i = A^{ij} x^j\nL = z^i z^i\n\\frac{\\partial L}{\\partial x^j} = 3 A^{ij} z^i"));

}  // namespace
