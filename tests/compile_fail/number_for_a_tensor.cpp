// number for a tensor
// expect: B has 2 indices in the equations, and a number is bound to it
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto product = R"(Y^{ij} = A_{\text{left}}^{ik} B^{kj})"_eq;

void test() {
    ricci::tensor<float, 2> a({2, 3}), b({3, 4});
    product("A_left"_t = a, "B"_t = b);
}
#else
constexpr auto product = R"(Y^{ij} = A_{\text{left}}^{ik} B^{kj})"_eq;

void test() {
    ricci::tensor<float, 2> a({2, 3}), b({3, 4});
    product("A_left"_t = a, "B"_t = 2);
}
#endif
