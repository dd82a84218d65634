// keep of nothing
// expect: the equations define no tensor B, so it cannot be kept
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto kept = R"(Y^i = X^{ij} B^j)"_eq.keep("Y"_t);
#else
constexpr auto kept = R"(Y^i = X^{ij} B^j)"_eq.keep("B"_t);
#endif
