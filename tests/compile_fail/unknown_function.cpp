// unknown function
// expect: unknown function sofmax; did you mean softmax?
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(A^{ij} = \operatorname{softmax}_j(S^{ij}))"_eq;
#else
constexpr auto equations = R"(A^{ij} = \operatorname{sofmax}_j(S^{ij}))"_eq;
#endif
