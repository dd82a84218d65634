// defined twice
// expect: line 2
// expect: Y is defined twice
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^i = X^i
W^i = Z^i)"_eq;
#else
constexpr auto equations = R"(Y^i = X^i
Y^i = Z^i)"_eq;
#endif
