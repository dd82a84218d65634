// index free
// expect: matrix notation has no indices; write them
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(S^{ij} = Q^{ia} K^{ja})"_eq;
#else
constexpr auto equations = R"(S = Q K^T)"_eq;
#endif
