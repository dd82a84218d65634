// wrong rank
// expect: B has 2 indices in the equations, and a tensor of rank 3 is bound to it
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
    ricci::tensor<float, 3> c({3, 4, 1});
    product("A_left"_t = a, "B"_t = c);
}
#endif
