// extents in the types
// expect: the index k has extent 3 in axis 1 of A_left and 4 in axis 0 of B
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
constexpr auto product = R"(Y^{ij} = A_{\text{left}}^{ik} B^{kj})"_eq;

void test() {
    ricci::fixed_tensor<float, 2, 3> a;
    ricci::fixed_tensor<float, 4, 4> b;
    ricci::fixed_tensor<float, 3, 4> c;
    product("A_left"_t = a, "B"_t = c);
}
#else
constexpr auto product = R"(Y^{ij} = A_{\text{left}}^{ik} B^{kj})"_eq;

void test() {
    ricci::fixed_tensor<float, 2, 3> a;
    ricci::fixed_tensor<float, 4, 4> b;
    ricci::fixed_tensor<float, 3, 4> c;
    product("A_left"_t = a, "B"_t = b);
}
#endif
