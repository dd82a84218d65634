// a batch over an index that the equations have
// expect: the equations have an index b already; write another, as n
#include <ricci/batch.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto product = R"(Y^{ik} = X^{ib} W^{bk})"_eq;
#ifdef CORRECT
constexpr auto many = ricci::batch(product, "n"_i, ricci::of("X"_t));
#else
constexpr auto many = ricci::batch(product, "b"_i, ricci::of("X"_t));
#endif
