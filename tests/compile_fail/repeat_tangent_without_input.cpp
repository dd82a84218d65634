// a tangent of layers in which what the first one takes does not move
// expect: every layer moves what the next one takes; name X too
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto cell = R"(Y^{i} = \tanh(W^{ij} X^{j}))"_eq;

void derive(int count) {
    const auto all = ricci::repeat(cell, count, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));
#ifdef CORRECT
    static_cast<void>(ricci::tangent(all, ricci::wrt("W"_t, "X"_t)));
#else
    static_cast<void>(ricci::tangent(all, ricci::wrt("W"_t)));
#endif
}
