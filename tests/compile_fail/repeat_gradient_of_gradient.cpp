// a gradient of a gradient of layers
// expect: a derivative of layers is not differentiated again; write the layers out, as in
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

constexpr auto cell = R"(Y^{i} = \tanh(W^{ij} X^{j}))"_eq;

void derive(int count) {
    const auto all = ricci::repeat(cell, count, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));
    const auto once = ricci::gradient(all, "Y"_t, ricci::wrt("X"_t));
#ifndef CORRECT
    static_cast<void>(ricci::gradient(once, "dL/dX"_t, ricci::wrt("X"_t)));
#endif
    static_cast<void>(once);
}
