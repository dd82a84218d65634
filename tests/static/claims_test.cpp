// Equations about attention that the literature states: each follows from the program above it, and
// the wrong ones among them do not.
#include <ricci/ricci.hpp>

using namespace ricci::literals;

namespace {

constexpr auto attention = R"(
    S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
    A^{ij} = \text{softmax}_j(S^{ij})
    O^{ib} = A^{ij} V^{jb}
)"_eq;

// Claims stand in a program, and a program that compiles has proved them.
[[maybe_unused]] constexpr auto derivatives = R"(
    S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
    A^{ij} = \text{softmax}_j(S^{ij})
    O^{ib} = A^{ij} V^{jb}
    \frac{\partial L}{\partial K^{kl}} = \frac{1}{\sqrt{d_k}} \frac{\partial L}{\partial S^{ik}} Q^{il}
    \frac{\partial L}{\partial Q^{kl}} = \frac{1}{\sqrt{d_k}} \frac{\partial L}{\partial S^{kj}} K^{jl}
    \frac{\partial L}{\partial S^{ij}} = A^{ij} \left( \frac{\partial L}{\partial A^{ij}} - \sum_{j'} A^{ij'} \frac{\partial L}{\partial A^{ij'}} \right)
)"_eq;

[[maybe_unused]] constexpr auto jacobians = R"(
    S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
    A^{ij} = \text{softmax}_j(S^{ij})
    O^{ib} = A^{ij} V^{jb}
    \frac{\partial O^{ib}}{\partial V^{mn}} = A^{ij} \delta^j_m \delta^b_n = A^{im} \delta^b_n
    \frac{\partial O^{ib}}{\partial A^{mn}} = \delta^i_m V^{nb}
    \frac{\partial A^{ij}}{\partial S^{mn}} = \delta^i_m A^{ij} (\delta^j_n - A^{in})
    \frac{\partial S^{ij}}{\partial Q^{kl}} = \frac{1}{\sqrt{d_k}} \delta^i_k \delta^a_l K^{ja} = \frac{1}{\sqrt{d_k}} \delta^i_k K^{jl}
)"_eq;
[[maybe_unused]] constexpr auto vector_softmax = R"(
    a_i = \text{softmax}_i(s_i)
    \frac{\partial a_i}{\partial s_j} = a_i(\delta_{ij} - a_j)
)"_eq;
[[maybe_unused]] constexpr auto projection = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    \frac{\partial Q^{h'i'a'}}{\partial W_Q^{hba}} = \delta^{h'}_h X^{i'b} \delta^{a'}_a
)"_eq;
[[maybe_unused]] constexpr auto weights = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    Y^{id}  = O^{hic} W_O^{hcd}
    \frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial Q^{hia}}
    \frac{\partial L}{\partial W_O^{hcd}} = O^{hic} \frac{\partial L}{\partial Y^{id}}
)"_eq;
[[maybe_unused]] constexpr auto embedding = R"(
    X^{ia} = E^{x_i a}
    \frac{\partial L}{\partial E^{va}} = \sum_i [v = x_i] \frac{\partial L}{\partial X^{ia}}
)"_eq;
// A derivative on the right is no claim: it is derived, and computed.
[[maybe_unused]] constexpr auto susceptibility = R"(
    A^{ij} = \text{softmax}_j(S^{ij})
    \chi^{ij}_{kl} = \frac{\partial A^{ij}}{\partial S^{kl}}
    \frac{\partial A^{ij}}{\partial S^{mn}} = \delta^i_m A^{ij} (\delta^j_n - A^{in})
)"_eq;
[[maybe_unused]] constexpr auto energy = R"(
    S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
    E(i, j) = -S^{ij} = -\frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
)"_eq;

// The same from a derived program, and what does not hold.
constexpr auto backward = ricci::gradient(attention, "O"_t, ricci::wrt("Q"_t, "K"_t, "V"_t));
static_assert(backward.states(R"(
    D^i = \sum_{j} A^{ij} dA^{ij}
    dS_{ij} = A_{ij} \odot (dA_{ij} - D_i)
)"));
static_assert(!backward.states(R"(dS_{ij} = A_{ij} \odot dA_{ij})"));
static_assert(backward.states(R"(dK_{ja} = \sum_i dS_{ij} Q_{ia} / \sqrt{d_k})"));
static_assert(!attention.states(
    R"(\frac{\partial A^{ij}}{\partial S^{mn}} = \delta^i_m A^{ij} (\delta^j_n - A^{jn}))"));
static_assert(!attention.states(R"(Z^{ib} = A^{ij} V^{jb})"));  // nothing defines Z

constexpr auto rotated = R"(\tilde{Q}^{ia} = R^{iab} Q^{ib})"_eq;
static_assert(rotated.states(
    R"(\frac{\partial L}{\partial Q^{ia}} = R^{iba} \frac{\partial L}{\partial \tilde{Q}^{ib}})"));
static_assert(!rotated.states(
    R"(\frac{\partial L}{\partial Q^{ia}} = R^{iab} \frac{\partial L}{\partial \tilde{Q}^{ib}})"));

// Beyond the normal form, which knows no identity of the logarithm: refused, right or wrong.
constexpr auto free_energy = R"(
    A^{ij} = \frac{e^{\beta S^{ij}}}{Z^i}
    Z^i = \sum_j e^{\beta S^{ij}}
    H^i = -\sum_j A^{ij} \log A^{ij}
    F^i = -\frac{1}{\beta} \log Z^i
)"_eq;
static_assert(!free_energy.states(R"(F^i = A^{ij} S^{ij} - \frac{1}{\beta} H^i)"));
static_assert(!free_energy.states(R"(F^i = -A^{ij} S^{ij} - \frac{1}{\beta} H^i)"));

}  // namespace
