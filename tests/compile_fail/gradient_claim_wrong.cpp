// gradient claim wrong
// expect: static assertion failed
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto layer = R"(Q^{hia} = X^{ib} W_Q^{hba})"_eq;
constexpr auto backward = ricci::gradient(layer, "Q"_t, ricci::wrt("W_Q"_t));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ib} \frac{\partial L}{\partial Q^{hia}})"));
#else
constexpr auto layer = R"(Q^{hia} = X^{ib} W_Q^{hba})"_eq;
constexpr auto backward = ricci::gradient(layer, "Q"_t, ricci::wrt("W_Q"_t));
static_assert(backward.states(
    R"(\frac{\partial L}{\partial W_Q^{hba}} = X^{ia} \frac{\partial L}{\partial Q^{hib}})"));
#endif
