// Equations as values: they have no state, keep and derive give other programs, claims hold or do
// not.
#include <type_traits>

#include <ricci/ricci.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::literals;

template <std::uint64_t Hash>
constexpr bool prints(ricci::equations<Hash>, ricci::detail::text_view expected) {
    return ricci::testing::is_text(ricci::testing::latex_of(ricci::equations<Hash>::program()),
                                   expected);
}
template <std::uint64_t Hash>
constexpr bool is_output(ricci::equations<Hash>, ricci::detail::text_view name) {
    const auto p = ricci::equations<Hash>::program();
    return ricci::ir::is_output(p, p.find(name));
}
template <std::uint64_t Hash>
constexpr bool is_input(ricci::equations<Hash>, ricci::detail::text_view name) {
    const auto p = ricci::equations<Hash>::program();
    return ricci::ir::is_input(p, p.find(name));
}

constexpr auto card = R"(
    Q^<hia> = X^<ib> W_Q^<hba>
    Y^<id> = O^<hic> W_O^<hcd>
)"_eq;
static_assert(prints(card, "Q^{hia} = X^{ib} W_Q^{hba}\nY^{id} = O^{hic} W_O^{hcd}\n"));
static_assert(is_output(card, "Q") && is_output(card, "Y") && is_input(card, "X") &&
              is_input(card, "O"));

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;
static_assert(std::is_empty_v<decltype(attention)>);
static_assert(std::is_same_v<decltype(card), decltype(R"(
    Q^<hia> = X^<ib> W_Q^<hba>
    Y^<id> = O^<hic> W_O^<hcd>
)"_eq) const>);

static_assert(is_output(attention, "Y") && !is_output(attention, "A") &&
              is_input(attention, "d_k"));
static_assert(is_output(attention.keep("A"_t), "A") && is_output(attention.keep("A"_t), "Y"));

// Claims about the equations themselves
static_assert(attention.states(R"(Y^{ie} = W_O^{gce} O^{gic})"));
static_assert(attention.states(R"(S^{hij} = \frac{Q^{hia} K^{hja}}{\sqrt{d_k}})"));
static_assert(attention.states(R"(A^{hij} = \operatorname{softmax}_j(S^{hij}))"));
static_assert(!attention.states(R"(Y^{id} = 2 O^{hic} W_O^{hcd})"));
static_assert(!attention.states(R"(S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hja} K^{hia})"));
static_assert(!attention.states(R"(A^{hij} = \operatorname{softmax}_i(S^{hij}))"));

// Claims about the gradients, and variants of them that are wrong
constexpr auto backward =
    ricci::gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = O^{hic} \frac{\partial L}{\partial Y^{id}})"));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_O^{gce}} = \frac{\partial L}{\partial Y^{ne}} O^{gnc})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ia} \frac{\partial L}{\partial Q^{hib}})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hab}} = X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = -X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial K^{hia}})"));
static_assert(!backward.states(R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} Q^{hia})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = O^{cih} \frac{\partial L}{\partial Y^{id}})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = O^{hic} \frac{\partial L}{\partial Y^{di}})"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial W_O^{hcd}} = 2 O^{hic} \frac{\partial L}{\partial Y^{id}})"));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial Q^{hkl}} = \frac{1}{\sqrt{d_k}} \frac{\partial L}{\partial S^{hkj}} K^{hjl})"));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial S^{hij}} = A^{hij} (\frac{\partial L}{\partial A^{hij}} - \sum_{j'} A^{hij'} \frac{\partial L}{\partial A^{hij'}}))"));
static_assert(!backward.states(
    R"(\frac{\partial L}{\partial S^{hij}} = A^{hij} (\frac{\partial L}{\partial A^{hij}} - \sum_{i'} A^{hi'j} \frac{\partial L}{\partial A^{hi'j}}))"));

static_assert(is_input(backward, "dL/dY") && is_output(backward, "dL/dX") &&
              is_output(backward, "dL/dW_O"));
static_assert(!is_output(backward, "dL/dQ") && is_output(backward.keep("dL/dQ"_t), "dL/dQ"));

// The value and the gradient; a gradient of a gradient is equations again.
constexpr auto both = ricci::value_and_gradient(attention, "Y"_t, ricci::wrt("W_O"_t));
static_assert(is_output(both, "Y") && is_output(both, "dL/dW_O") && !is_output(both, "dL/dX"));

// The types are short however long the text is: a hash and nothing else.
template <std::uint64_t Hash>
constexpr bool is_hash_alone(ricci::equations<Hash>) {
    return true;
}
static_assert(is_hash_alone(backward) && std::is_empty_v<decltype(backward)>);

}  // namespace
