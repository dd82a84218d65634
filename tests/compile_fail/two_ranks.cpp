// two ranks
// expect: >>>X^{ijk}<<<
// expect: X has 3 indices here and 2 before; a tensor has one rank
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(
    Y^{ik} = X^{ij} W^{jk}
    Z^{k} = T^{ijk} V^{ij}
)"_eq;
#else
constexpr auto equations = R"(
    Y^{ik} = X^{ij} W^{jk}
    Z^{k} = X^{ijk} V^{ij}
)"_eq;
#endif
