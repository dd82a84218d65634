// gradient of nothing
// expect: Q does not depend on Z
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto layer = R"(
    Q^{ia} = X^{ib} W^{ba}
    P^i = Z^i
)"_eq;
constexpr auto backward = ricci::gradient(layer, "Q"_t, ricci::wrt("W"_t));
#else
constexpr auto layer = R"(
    Q^{ia} = X^{ib} W^{ba}
    P^i = Z^i
)"_eq;
constexpr auto backward = ricci::gradient(layer, "Q"_t, ricci::wrt("Z"_t));
#endif
