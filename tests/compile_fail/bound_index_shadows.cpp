// bound index shadows
// expect: the index j is bound here and free in the same term; write j'
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(A^{ij} = \frac{\exp(S^{ij})}{\sum_{j'} \exp(S^{ij'})})"_eq;
#else
constexpr auto equations = R"(A^{ij} = \frac{\exp(S^{ij})}{\sum_{j} \exp(S^{ij})})"_eq;
#endif
