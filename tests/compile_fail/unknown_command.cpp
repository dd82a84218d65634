// unknown command
// expect: Y^{ij} = >>>\epx<<<(X^{ij})
// expect: unknown command \epx; did you mean \exp?
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^{ij} = \exp(X^{ij}))"_eq;
#else
constexpr auto equations = R"(Y^{ij} = \epx(X^{ij}))"_eq;
#endif
