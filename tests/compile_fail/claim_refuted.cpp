// claim refuted
// expect: Z^{ij} = A^{ik} B^{kj} = >>>A^{ik} B^{jk}<<<
// expect: this is not what Z is
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Z^{ij} = A^{ik} B^{kj} = B^{kj} A^{ik})"_eq;
#else
constexpr auto equations = R"(Z^{ij} = A^{ik} B^{kj} = A^{ik} B^{jk})"_eq;
#endif
