// index twice on the left
// expect: the index i stands twice on the left
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto equations = R"(Y^{i} = X^{ii})"_eq;
#else
constexpr auto equations = R"(Y^{ii} = X^i)"_eq;
#endif
