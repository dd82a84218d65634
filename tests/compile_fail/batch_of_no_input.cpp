// a batch of what the equations do not take
// expect: the equations take no tensor Z; they take X, W
#include <ricci/batch.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto product = R"(Y^{ik} = X^{ij} W^{jk})"_eq;
#ifdef CORRECT
constexpr auto many = ricci::batch(product, "b"_i, ricci::of("X"_t));
#else
constexpr auto many = ricci::batch(product, "b"_i, ricci::of("Z"_t));
#endif
