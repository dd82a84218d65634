// weights that lack the axis of the layers
// expect: W has 3 indices in the equations, and a tensor of rank 2 is bound to it
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto cell = R"(Y^{i} = \tanh(W^{ij} X^{j}))"_eq;
constexpr auto many = ricci::repeat(cell, 3, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));

#ifdef CORRECT
using weights = ricci::tensor<float, 3>;
#else
using weights = ricci::tensor<float, 2>;
#endif
float call(const ricci::tensor<float, 1>& x, const weights& w) {
    return many("X"_t = x, "W"_t = w)["Y"_t](0);
}
