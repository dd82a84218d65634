// Where axes begin that are read at subtracted letters: as written, in a table of differences, or
// refused with both ways to write it, each of which is read.
#include "tests/static/support.hpp"

namespace {

using ricci::ir::mistake_kind;
using ricci::testing::is_accepted;
using ricci::testing::prints;
using ricci::testing::refused;

// From 0, where conditions exclude what is below: any of them, together, and without extents.
static_assert(prints("y_t = \\sum_{k=0}^{t} w_k x_{t-k}",
                     "y^{t} = \\sum_{k} [k \\le t] (w^{k} x^{t-k+0})"));
static_assert(prints("A^{ij} = [j \\le i] b^{i-j}", "A^{ij} = [j \\le i] b^{i-j+0}"));
static_assert(prints("A^{ij} = [\\lnot (i < j)] b^{i-j}", "A^{ij} = [\\lnot [i < j]] b^{i-j+0}"));
static_assert(prints("A^{ij} = [i \\ge j + 2] b^{i-j}", "A^{ij} = [j + 2 \\le i] b^{i-j+0}"));
static_assert(prints("A^{ij} = [i = j \\lor i > j] b^{i-j}",
                     "A^{ij} = [[i = j] \\lor [j < i]] b^{i-j+0}"));
static_assert(prints("y^{ijk} = [i \\ge j \\land j \\ge k] x^{i-k}",
                     "y^{ijk} = [[j \\le i] \\land [k \\le j]] x^{i-k+0}"));
static_assert(prints("y^{ijk} = [i \\ge j] [j \\ge k] x^{i-k}",
                     "y^{ijk} = [j \\le i] [k \\le j] x^{i-k+0}"));
static_assert(prints("y^{ijk} = [i + j \\ge 2 k] x^{i+j-2k}",
                     "y^{ijk} = [2 k \\le i + j] x^{i+j-2k+0}"));
static_assert(
    prints("S^{ij} = \\begin{cases} 0 & \\text{if } j > i \\\\ b^{i-j} & \\text{otherwise} "
           "\\end{cases}",
           "S^{ij} = \\begin{cases} 0 & \\text{if } i < j \\\\ b^{i-j+0} & "
           "\\text{otherwise} \\end{cases}"));
// Conditions below functions over an index too.
static_assert(is_accepted("m^i = \\max_{j \\le i} x^{i-j}"));
static_assert(is_accepted("m^i = \\operatorname{mean}_{j \\le i} x^{i-j}"));
static_assert(is_accepted("m^i = \\operatorname{logsumexp}_{j<i} (x^{i-j} + v^j)"));
static_assert(is_accepted("m^i = \\prod_{j \\le i} x^{i-j}"));
static_assert(
    refused("A^{ij} = \\operatorname{softmax}_{j \\le i}(S^{ij} + b^{i-j})\n"
            "T^{ij} = c^i c^j + b^{i-j}",
            mistake_kind::unexpected, 1, 52, "one origin"));
static_assert(refused("m^i = \\max_{j \\ge i} x^{i-j}", mistake_kind::unexpected, 1, 22,
                      "two ways"));
// With a number, as written.
static_assert(prints("y^{i} = x^{3-i}", "y^{i} = x^{3-i}"));
static_assert(prints("y^{i} = w^{k} x^{i-k+7}", "y^{i} = w^{k} x^{i-k+7}"));
// A table, whatever the condition leaves of it.
static_assert(prints("S^{ij} = Q^{ij} + b^{i-j}", "S^{ij} = Q^{ij} + b^{i-j}"));
static_assert(prints("A^{ij} = [|i - j| \\le 2] b^{i-j}",
                     "A^{ij} = [\\operatorname{abs}(i - j) \\le 2] b^{i-j}"));
static_assert(prints("A^{ij} = [j \\le i + 1] b^{i-j}", "A^{ij} = [j \\le i + 1] b^{i-j}"));
static_assert(prints("A^{ij} = [(i - j) \\bmod 2 = 0] b^{i-j}",
                     "A^{ij} = [((i - j) \\bmod 2) = 0] b^{i-j}"));
static_assert(prints("A^{ij} = [m^{ij}] b^{i-j}", "A^{ij} = [m^{ij}] b^{i-j}"));
// A softmax runs over all of its letter, whatever a bracket outside leaves of it.
static_assert(prints("A^{ij} = [j \\le i] \\operatorname{softmax}_j(S^{ij} + b^{i-j})",
                     "A^{ij} = [j \\le i] \\operatorname{softmax}_{j}(S^{ij} + b^{i-j})"));
static_assert(prints("A^{ij} = [k \\le i] c^k \\operatorname{softmax}_j(S^{ij} + b^{i-k})",
                     "A^{ij} = [k \\le i] c^{k} \\operatorname{softmax}_{j}(S^{ij} + b^{i-k+0})"));
static_assert(prints("y^{i} = A^{ij} b^{i-2j}", "y^{i} = A^{ij} b^{i-2j}"));
static_assert(is_accepted("y^i = E^{n_{ij}} b_{i-j}"));
static_assert(is_accepted("L = \\sum_{i,j} (b_{i-j} + A^{ij})"));
static_assert(is_accepted("x^j = \\operatorname{solve}_{ij}(a^{i-j}, y^i)"));
static_assert(is_accepted("S^{ij} = b_{i-j} + c^i c^j\nL = \\lambda b_k b_k"));

// Two readings.
constexpr const char* both =
    "write x_{\\operatorname{pad}(t-k)}, or T^{tk} = x_{t-k} in a line of its own and T^{tk} here";
static_assert(refused("y_t = \\sum_k w_k x_{t-k}", mistake_kind::unexpected, 1, 18, both));
static_assert(is_accepted("y_t = \\sum_k w_k x_{\\operatorname{pad}(t-k)}"));
static_assert(is_accepted("T^{tk} = x_{t-k}\ny_t = \\sum_k w_k T^{tk}"));
static_assert(refused("y_i = b_{i-j} c_{i-j}", mistake_kind::unexpected, 1, 7, "two ways"));
static_assert(refused("y_i = \\sum_{j \\ne i} w_{i-j} x_j", mistake_kind::unexpected, 1, 22,
                      "two ways"));
// the letters of another sum are others
static_assert(refused("y^i = \\sum_j A^{ij} + \\sum_j b^{i-j} x^j", mistake_kind::unexpected, 1, 30,
                      "two ways"));
static_assert(refused("y^i = x^{-i}", mistake_kind::unexpected, 1, 7, "needs a number"));
static_assert(refused("y^{ijk} = x^{i+j-k}", mistake_kind::unexpected, 1, 11,
                      "three letters or more"));

// One origin in a text.
static_assert(refused("S^{ij} = b^{i-j}\nz = b^k k", mistake_kind::unexpected, 2, 5, "one origin"));
static_assert(refused("S^{ij} = b^{i-j} + b^{i+1} c^j", mistake_kind::unexpected, 1, 20,
                      "one origin"));
static_assert(refused("S^{ij} = b^{i-j} + b^{i-j+7}", mistake_kind::unexpected, 1, 20,
                      "one origin"));
static_assert(refused("S^{ij} = b^{i-j} + b^{\\operatorname{pad}(i-j)}", mistake_kind::unexpected,
                      1, 20, "one origin"));
static_assert(refused("S^{ij} = b^{i-j} + [j \\le i] b^{i-j}", mistake_kind::unexpected, 1, 30,
                      "one origin"));

}  // namespace
