// a gradient of layers by what they do not take, where their number is known at run time
// expect: the program has no tensor V
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto cell = R"(Y^{i} = \tanh(W^{ij} X^{j}))"_eq;

void derive(int count) {
    const auto all = ricci::repeat(cell, count, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));
#ifdef CORRECT
    static_cast<void>(ricci::gradient(all, "Y"_t, ricci::wrt("W"_t)));
#else
    static_cast<void>(ricci::gradient(all, "Y"_t, ricci::wrt("V"_t)));
#endif
}
