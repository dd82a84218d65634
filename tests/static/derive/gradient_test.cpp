// Reverse mode: the equation that each rule derives, and the backward program of an attention
// layer.
#include <ricci/derive/gradient.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::contains;
using ricci::testing::derives;
using ricci::testing::gradient_latex;
using ricci::testing::is_text;

#define D_Y(at) "\\frac{\\partial L}{\\partial Y" at "}"
#define D_X(at) "\\frac{\\partial L}{\\partial X" at "}"

// Products, sums and broadcasting -----------------------------------------------------------------

static_assert(derives("Y^{ik} = X^{ij} W^{jk}", D_X("^{ij}") " := " D_Y("^{ik}") " W^{jk}"));
static_assert(derives("Y^{ki} = W^{kj} X^{ji}", D_X("^{ji}") " := W^{kj} " D_Y("^{ki}")));
static_assert(derives("Y^{hia} = X^{ib} W^{hba}", D_X("^{ib}") " := " D_Y("^{hia}") " W^{hba}"));
static_assert(derives("Y^{i} = X^{i} + Z^{i}", D_X("^{i}") " := " D_Y("^{i}")));
static_assert(derives("Y^{i} = Z^{i} - X^{i}", D_X("^{i}") " := -" D_Y("^{i}")));
static_assert(derives("Y^{i} = 3 X^{i}", D_X("^{i}") " := 3 " D_Y("^{i}")));
static_assert(derives("Y^{ij} = Z^{ij} + X^{j}", D_X("^{j}") " := \\sum_{i} " D_Y("^{ij}")));
static_assert(derives("Y = \\sum_{i} X^{i} Z^{i}", D_X("^{i}") " := " D_Y("") " Z^{i}"));
static_assert(derives("Y^{ij} = X^{i} Z^{j}", D_X("^{i}") " := " D_Y("^{ij}") " Z^{j}"));
static_assert(derives("Y^{hia} = X^{i(ha)}", D_X("^{i(ha)}") " := " D_Y("^{hia}")));
static_assert(derives("Y^{i(ha)} = X^{hia}", D_X("^{hia}") " := " D_Y("^{i(ha)}")));

// Functions: those whose slope is short in their value use it -------------------------------------

static_assert(derives("Y^{i} = \\exp(X^{i})",
                      "Y^{i} = \\exp(X^{i})\n" D_X("^{i}") " := " D_Y("^{i}") " Y^{i}\n"));
static_assert(derives("Y^{i} = \\log(X^{i})", D_X("^{i}") " := " D_Y("^{i}") " \\frac{1}{X^{i}}"));
static_assert(derives("Y^{i} = \\sqrt{X^{i}}", "Y^{i} = \\sqrt{X^{i}}\n" D_X("^{i}") " := " D_Y(
                                                   "^{i}") " \\frac{1}{2 Y^{i}}\n"));
static_assert(derives("Y^{i} = \\sin(X^{i})", D_X("^{i}") " := " D_Y("^{i}") " \\cos(X^{i})"));
static_assert(derives("Y^{i} = \\cos(X^{i})", D_X("^{i}") " := -" D_Y("^{i}") " \\sin(X^{i})"));
static_assert(derives("Y^{i} = \\tanh(X^{i})", "Y^{i} = \\tanh(X^{i})\n" D_X("^{i}") " := " D_Y(
                                                   "^{i}") " (1 - (Y^{i})^{2})\n"));
static_assert(derives("Y^{i} = |X^{i}|",
                      D_X("^{i}") " := " D_Y("^{i}") " \\operatorname{sign}(X^{i})"));
static_assert(derives("Y^{i} = \\sigma(X^{i})",
                      "Y^{i} = \\operatorname{sigmoid}(X^{i})\n" D_X("^{i}") " := " D_Y(
                          "^{i}") " Y^{i} (1 - Y^{i})\n"));
static_assert(derives("Y^{i} = \\operatorname{relu}(X^{i})",
                      D_X("^{i}") " := " D_Y("^{i}") " [0 < X^{i}]"));
static_assert(derives(
    "Y^{i} = \\operatorname{gelu}(X^{i})",
    D_X("^{i}") " := " D_Y("^{i}") " (0.5 (1 + \\operatorname{erf}(\\frac{1}{\\sqrt{2}} X^{i})) + "
                                   "X^{i} (\\frac{1}{\\sqrt{2 \\pi}} \\exp(-0.5 (X^{i})^{2})))"));
static_assert(derives(
    "Y^{i} = \\operatorname{silu}(X^{i})",
    D_X("^{i}") " := " D_Y(
        "^{i}") " (\\operatorname{sigmoid}(X^{i}) + "
                "X^{i} \\operatorname{sigmoid}(X^{i}) (1 - \\operatorname{sigmoid}(X^{i})))"));
static_assert(
    derives("Y^{i} = \\operatorname{elu}(X^{i})",
            D_X("^{i}") " := " D_Y("^{i}") " \\begin{cases} 1 & \\text{if } 0 < X^{i} \\\\ "
                                           "\\exp(X^{i}) & \\text{otherwise} \\end{cases}"));
static_assert(
    derives("Y^{i} = \\operatorname{erf}(X^{i})",
            D_X("^{i}") " := " D_Y("^{i}") " \\frac{2}{\\sqrt{\\pi}} \\exp(-(X^{i})^{2})"));
static_assert(derives("Y^{i} = 2 \\pi X^{i} 3", D_X("^{i}") " := 6 \\pi " D_Y("^{i}")));
static_assert(derives("Y^{i} = 0.1 (X^{i})^{3}",
                      D_X("^{i}") " := 0.3 " D_Y("^{i}") " (X^{i})^{2}"));
static_assert(derives("Y^{i} = 9007199254740993 X^{i}",
                      D_X("^{i}") " := 9007199254740993 " D_Y("^{i}")));
static_assert(derives("Y^{i} = \\exp(2 X^{i}) + Z^{i}",
                      D_X("^{i}") " := 2 " D_Y("^{i}") " \\exp(2 X^{i})"));

// Quotients, powers, extrema ----------------------------------------------------------------------

static_assert(derives("Y^{i} = X^{i} / Z^{i}", D_X("^{i}") " := " D_Y("^{i}") " \\frac{1}{Z^{i}}"));
static_assert(derives(
    "Y^{i} = Z^{i} / X^{i}",
    "Y^{i} = \\frac{Z^{i}}{X^{i}}\n" D_X("^{i}") " := -" D_Y("^{i}") " \\frac{Y^{i}}{X^{i}}\n"));
static_assert(derives("Y^{i} = X^{i} X^{i} X^{i} Z^{i}",
                      D_X("^{i}") " := 3 " D_Y("^{i}") " X^{i} X^{i} Z^{i}"));
static_assert(derives("Y^{i} = (X^{i})^2", D_X("^{i}") " := 2 " D_Y("^{i}") " X^{i}"));
static_assert(derives("Y^{i} = (X^{i})^3", D_X("^{i}") " := 3 " D_Y("^{i}") " (X^{i})^{2}"));
static_assert(derives("Y^{i} = (X^{i})^{Z^{i}}",
                      D_X("^{i}") " := " D_Y("^{i}") " [[Z^{i} \\ne 0] \\lor [X^{i} \\ne 0]] Z^{i} "
                                                     "(X^{i})^{Z^{i} - 1}"));
static_assert(derives("Y^{i} = (Z^{i})^{X^{i}}",
                      "Y^{i} = (Z^{i})^{X^{i}}\n" D_X("^{i}") " := " D_Y(
                          "^{i}") " [Z^{i} \\ne 0] Y^{i} \\log(Z^{i})\n"));
// Where a chain rule multiplies 0 by infinity.
static_assert(derives("Y = \\lVert X^{i} \\rVert",
                      "Y = \\sqrt{\\sum_{i} (X^{i})^{2}}\n" D_X("^{i}") " := " D_Y(
                          "") " [Y \\ne 0] \\frac{1}{Y} X^{i}\n"));
static_assert(derives("Y^{i} = |X^{i}|^2", D_X("^{i}") " := 2 \\operatorname{Re}(" D_Y(
                                               "^{i}") ") \\operatorname{conj}(X^{i})"));
static_assert(derives("Y^{i} = \\log \\sigma(X^{i})",
                      D_X("^{i}") " := " D_Y("^{i}") " \\operatorname{sigmoid}(-X^{i})"));
static_assert(derives("Y^{i} = \\log \\operatorname{softmax}_i(X^{i})",
                      D_X("^{i}") " := " D_Y("^{i}") " + (-\\sum_{i'} " D_Y(
                          "^{i'}") ") \\operatorname{softmax}_{i}(X^{i})"));
static_assert(derives("Y^{i} = \\max(X^{i}, Z^{i})",
                      D_X("^{i}") " := " D_Y("^{i}") " ([Z^{i} < X^{i}] + 0.5 [X^{i} = Z^{i}])"));
static_assert(derives("Y^{i} = \\min(X^{i}, Z^{i})",
                      D_X("^{i}") " := " D_Y("^{i}") " ([X^{i} < Z^{i}] + 0.5 [X^{i} = Z^{i}])"));

// Reductions --------------------------------------------------------------------------------------

static_assert(
    derives("Y^{ij} = \\operatorname{softmax}_j(X^{ij})",
            "Y^{ij} = \\operatorname{softmax}_{j}(X^{ij})\n" D_X("^{ij}") " := Y^{ij} (" D_Y(
                "^{ij}") " - \\sum_{j'} Y^{ij'} " D_Y("^{ij'}") ")\n"));
static_assert(derives("Y^{i} = \\operatorname{logsumexp}_j(X^{ij})",
                      D_X("^{ij}") " := " D_Y("^{i}") " \\operatorname{softmax}_{j}(X^{ij})"));
static_assert(derives("Y^{i} = \\max_j(X^{ij})",
                      "Y^{i} = \\max_{j}(X^{ij})\n" D_X("^{ij}") " := " D_Y(
                          "^{i}") " \\frac{[X^{ij} = Y^{i}]}{\\sum_{j'} [X^{ij'} = Y^{i}]}\n"));

// Conditions --------------------------------------------------------------------------------------

static_assert(derives("Y^{ij} = [j \\le i] X^{ij}", D_X("^{ij}") " := [j \\le i] " D_Y("^{ij}")));
static_assert(
    derives("Y^{ij} = \\begin{cases} X^{i} & \\text{if } j \\le i \\\\ Z^{j} & \\text{otherwise} "
            "\\end{cases}",
            D_X("^{i}") " := " D_Y("^{ij}") " \\begin{cases} 1 & \\text{if } j \\le i \\\\ "
                                            "0 & \\text{otherwise} \\end{cases}"));

// Positions that a tensor says --------------------------------------------------------------------

static_assert(derives("Y^{ia} = X^{t_i a}", D_X("^{pa}") " := " D_Y("^{ia}") " [p = t^{i}]"));
static_assert(derives("Y^{i} = X^{i t_i}", D_X("^{ip}") " := " D_Y("^{i}") " [p = t^{i}]"));

// Several equations -------------------------------------------------------------------------------

static_assert(
    derives("Z^{i} = \\exp(X^{i}); Y^{i} = Z^{i} W^{i} + V^{i}",
            "Z^{i} = \\exp(X^{i})\n\\frac{\\partial L}{\\partial Z^{i}} := " D_Y(
                "^{i}") " W^{i}\n" D_X("^{i}") " := \\frac{\\partial L}{\\partial Z^{i}} Z^{i}\n"));
static_assert(
    derives("Z^{i} = 2 X^{i}; Y^{i} = Z^{i} + X^{i}",
            "\\frac{\\partial L}{\\partial Z^{i}} := " D_Y("^{i}") "\n" D_X(
                "^{i}") " := 2 \\frac{\\partial L}{\\partial Z^{i}} + " D_Y("^{i}") "\n"));
// What is not on the way from X to Y is left out.
static_assert(derives("Y^{i} = 2 X^{i}; Z^{i} = \\exp(X^{i})", D_X("^{i}") " := 2 " D_Y("^{i}")));

static_assert(contains(gradient_latex("Y^{i} = X^{i}", "Z", "X"), "defines no tensor Z"));
static_assert(contains(gradient_latex("Y^{i} = X^{i}", "Y", "Z"), "has no tensor Z"));
static_assert(contains(gradient_latex("Y^{i} = X^{i}; Z^{i} = W^{i}", "Y", "W"),
                       "Y does not depend on W"));
static_assert(contains(gradient_latex("Y^{i} = \\operatorname{sign}(X^{i})", "Y", "X"),
                       "Y does not depend on X"));

// What only letters together say is one equation for each of them, and no circle of two.
static_assert(derives(
    "Y = \\sum_{i,l} X^{i-l+3}",
    R"(\text{extent}_{\text{1}}^{il} = X^{i-l+3}
\text{extent}_{\text{2}}^{li} = X^{i-l+3}
)" D_X("^{i''}") " := \\sum_{i,l} [i'' = i - l + 3] " D_Y(
        "") R"(, \quad i'' \in \operatorname{axis}_{0}(X), \quad i \in \operatorname{axis}_{0}(\text{extent}_{\text{1}}), \quad l \in \operatorname{axis}_{0}(\text{extent}_{\text{2}}))"));

// What counts a letter that gets more primes, as another one is spelt so, says its own axis.
static_assert(contains(
    gradient_latex(
        R"(P^{l} = \sum_{m} A^{(lm)} B^{\operatorname{wrap}(3-2m)} + \sum_{m} A^{(ml)} C^{ml})",
        "P", "A"),
    R"(, \quad m' \in \operatorname{axis}_{0}(\text{extent}_{\text{1}}), \quad m'''' \in \operatorname{axis}_{0}(\text{extent}_{\text{1}}))"));
// What says the extent of a has the i of its own equation, and not that of another one.
static_assert(
    contains(gradient_latex(
                 R"(S^{i} = Z^{i}; Y^{i} = W^{i} \operatorname{mean}_a(X^{i+a}) + T \sum_j S^{j})",
                 "Y", "X"),
             R"(\text{extent}_{\text{1}}^{ai} = X^{i+a}, \quad i \in \operatorname{axis}_{0}(W))"));

// A condition that compares l with i would give it the extent of i, before the other l does.
static_assert(contains(
    gradient_latex(
        R"(P = \operatorname{logsumexp}_{i,l}(\begin{cases} X^{i} & \text{if } l > i \\ -\infty & \text{otherwise} \end{cases}), \quad l \in \operatorname{axis}_0(z)
           Y = P + \sum_{l,i} X^{i} D^{l} H^{l}, \quad l \in \operatorname{axis}_0(z))",
        "Y", "X"),
    R"(\quad l' \in \operatorname{axis}_{0}(z))"));

// The axis on which a place is written out says nothing of a letter that is spelt like it: j' is
// what the caller gives for j, and i' runs as far as where the source binds it.
static_assert(derives("Y = (\\sum_{j',b} Z^{j'-b+1}) X^{0,}",
                      D_X("^{p}") " := (\\sum_{j',b} Z^{j'-b+1}) " D_Y("") " [p = 0]"));
static_assert(contains(gradient_latex("Y^{j} = \\prod_{i'} X^{i'-j+1, j}", "Y", "X"),
                       R"(\quad i'' \in \operatorname{axis}_{0}(\text{extent}_{\text{1}}))"));
static_assert(contains(gradient_latex("Y^{j} = \\prod_{i'} X^{i'-j+1, j}", "Y", "X"),
                       R"(\text{extent}_{\text{1}}^{i'j} = X^{(i'-j+1)j}
)"));

// Letters of axes ---------------------------------------------------------------------------------

// p stands with a prime, and p' may have its extent from p: the axis that the place 0 is of has
// another.
static_assert(derives("Y^{p'b} = X^{0b} + Z^{p'b}",
                      D_X("^{qb}") " := \\sum_{p'} " D_Y("^{p'b}") " [q = 0]"));
// Nor is it called like a tensor, as which it would be read where it stands as a number.
static_assert(derives("Y^{ib} = p X^{0b} + Z^{ib}",
                      D_X("^{qb}") " := \\sum_{i} p " D_Y("^{ib}") " [q = 0]"));
// Bound indices that are called like those of the left side get letters apart.
static_assert(contains(
    gradient_latex(
        "Y = \\sum_{a,b} X^{ab} \\max_{i',i''}(a b Z^{i'i''}) + \\sum_{i',i''} X^{i'i''} W^{i'}",
        "Y", "X"),
    "\\max_{i''',i''''}(i' i'' Z^{i'''i''''})"));
// What counts an index goes with it where that is renamed.
static_assert(ricci::testing::prints("Y^{t} = \\sum_{k} \\delta^{kt} \\frac{X^{k}}{\\sum_{k'} 1}",
                                     "Y^{t} = \\frac{X^{t}}{\\sum_{t'} 1}"));

// The attention layer -----------------------------------------------------------------------------

constexpr const char* layer = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)";
constexpr const char* backward = R"(Q^{hia} = X^{ib} W_Q^{hba}
K^{hja} = X^{jb} W_K^{hba}
V^{hjc} = X^{jb} W_V^{hbc}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_{j}(S^{hij})
O^{hic} = A^{hij} V^{hjc}
\frac{\partial L}{\partial O^{hic}} := \frac{\partial L}{\partial Y^{id}} W_O^{hcd}
\frac{\partial L}{\partial A^{hij}} := \frac{\partial L}{\partial O^{hic}} V^{hjc}
\frac{\partial L}{\partial S^{hij}} := A^{hij} (\frac{\partial L}{\partial A^{hij}} - \sum_{j'} A^{hij'} \frac{\partial L}{\partial A^{hij'}})
\frac{\partial L}{\partial V^{hjc}} := A^{hij} \frac{\partial L}{\partial O^{hic}}
\frac{\partial L}{\partial K^{hja}} := \frac{1}{\sqrt{d_k}} Q^{hia} \frac{\partial L}{\partial S^{hij}}
\frac{\partial L}{\partial Q^{hia}} := \frac{1}{\sqrt{d_k}} \frac{\partial L}{\partial S^{hij}} K^{hja}
\frac{\partial L}{\partial X^{ib}} := \frac{\partial L}{\partial Q^{hia}} W_Q^{hba} + \frac{\partial L}{\partial K^{hia}} W_K^{hba} + \frac{\partial L}{\partial V^{hic}} W_V^{hbc}
\frac{\partial L}{\partial W_Q^{hba}} := X^{ib} \frac{\partial L}{\partial Q^{hia}}
\frac{\partial L}{\partial W_K^{hba}} := X^{jb} \frac{\partial L}{\partial K^{hja}}
\frac{\partial L}{\partial W_V^{hbc}} := X^{jb} \frac{\partial L}{\partial V^{hjc}}
\frac{\partial L}{\partial W_O^{hcd}} := O^{hic} \frac{\partial L}{\partial Y^{id}}
)";
static_assert(is_text(gradient_latex(layer, "Y", "X", "W_Q", "W_K", "W_V", "W_O"), backward));

}  // namespace
