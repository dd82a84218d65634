// layers whose next one takes what they do not give
// expect: the equations define no tensor Z for the next layer to take
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto cell = R"(Y^{i} = \tanh(W^{ij} X^{j}))"_eq;
#ifdef CORRECT
constexpr auto many = ricci::repeat(cell, 3, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));
#else
constexpr auto many = ricci::repeat(cell, 3, "l"_i, ricci::from("Z"_t), ricci::to("X"_t));
#endif
