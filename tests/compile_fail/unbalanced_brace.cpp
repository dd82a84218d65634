// unbalanced brace
// expect: Y^{ij} = A^>>>{<<<ik B^{kj}
// expect: this bracket is never closed
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^{ij} = A^{ik} B^{kj})"_eq;
#else
constexpr auto equations = R"(Y^{ij} = A^{ik B^{kj})"_eq;
#endif
