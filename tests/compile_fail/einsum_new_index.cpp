// einsum new index
// expect: ib,ab->i>>>c<<<
// expect: this index of the result is in no operand
#include <ricci/ricci.hpp>

using namespace ricci::literals;

#ifdef CORRECT
void test(const ricci::tensor<float, 2>& x) { ricci::einsum<"ib,ab->ia">(x, x); }
#else
void test(const ricci::tensor<float, 2>& x) { ricci::einsum<"ib,ab->ic">(x, x); }
#endif
