// left index missing
// expect: >>>Y^{ijk} = A^{ij}<<<
// expect: the index k stands on the left and nowhere on the right
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^{ij} = A^{ij})"_eq;
#else
constexpr auto equations = R"(Y^{ijk} = A^{ij})"_eq;
#endif
