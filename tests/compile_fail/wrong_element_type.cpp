// wrong element type
// expect: B holds double and A_left holds float; the tensors of one call have one element type
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
    ricci::tensor<double, 2> c({3, 4});
    product("A_left"_t = a, "B"_t = c);
}
#endif
