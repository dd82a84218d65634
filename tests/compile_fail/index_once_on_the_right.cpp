// index once on the right
// expect: V^{hjc} = X^{jb} >>>W_V^{hbe}<<<
// expect: the index e stands once on the right and not on the left, and c of the left is missing on the right
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(V^{hjc} = X^{jb} W_V^{hbc})"_eq;
#else
constexpr auto equations = R"(V^{hjc} = X^{jb} W_V^{hbe})"_eq;
#endif
