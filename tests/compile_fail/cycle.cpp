// cycle
// expect: is defined by itself, directly or through other equations
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^i = X^i
Z^i = Y^i)"_eq;
#else
constexpr auto equations = R"(Y^i = Z^i
Z^i = Y^i)"_eq;
#endif
