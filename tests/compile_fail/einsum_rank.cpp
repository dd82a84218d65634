// einsum rank
// expect: ib,>>>hba<<<->hia
// expect: operand 2 has 3 indices here, and its rank is 2
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
void test(const ricci::tensor<float, 2>& x) { ricci::einsum<"ib,ab->ia">(x, x); }
#else
void test(const ricci::tensor<float, 2>& x) { ricci::einsum<"ib,hba->hia">(x, x); }
#endif
