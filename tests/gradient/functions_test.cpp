// Gradients of products, sums, functions, quotients, powers and extrema.
#include "tests/gradient/check.hpp"

namespace {
using ricci::testing::by;
using ricci::testing::given;
}  // namespace

TEST_CASE("products, sums, scaling, broadcasting", "[gradient]") {
    CHECK_GRADIENT("Y^{ik} = X^{ij} W^{jk}", by("X", {3, 4}), by("W", {4, 5}));
    CHECK_GRADIENT("Y^{hia} = X^{ib} W^{hba}", by("X", {3, 4}), by("W", {2, 4, 3}));
    CHECK_GRADIENT("Y^{i} = A^{ij} X^{jk} z^{k}", given("A", {3, 4}), by("X", {4, 2}),
                   by("z", {2}));
    CHECK_GRADIENT("Y^{i} = X^{i} + 3 W^{i} - b", by("X", {5}), by("W", {5}), by("b", 0.7));
    CHECK_GRADIENT("Y^{ij} = X^{i} W^{j}", by("X", {3}), by("W", {4}));
    CHECK_GRADIENT("Y^{ij} = X^{ij} + b^{j} + c^{i}", by("X", {3, 4}), by("b", {4}), by("c", {3}));
    CHECK_GRADIENT("Y = X^{i} X^{i}", by("X", {5}));
    CHECK_GRADIENT("Y^{i} = X^{i} (X^{i} + W^{i}) X^{i}", by("X", {4}), by("W", {4}));
    CHECK_GRADIENT("Y^{ij} = X^{ij} + X^{ji}", by("X", {4, 4}));
    CHECK_GRADIENT("Y^{ik} = X^{ij} X^{jk}", by("X", {3, 3}));
    CHECK_GRADIENT("Y^{ij} = b^{j} + \\delta^{ij} X^{i}", by("b", {4}), by("X", {4}));
    CHECK_GRADIENT("Y^{i} = \\delta^{ij} X^{j}", by("X", {4}));
}

TEST_CASE("functions", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = \\exp(X^{i})", by("X", {6}));
    CHECK_GRADIENT("Y^{i} = e^{2 X^{i}}", by("X", {6}));
    CHECK_GRADIENT("Y^{i} = \\log(X^{i})", by("X", {6}, 0.5, 2.5));
    CHECK_GRADIENT("Y^{i} = \\sqrt{X^{i}}", by("X", {6}, 0.5, 2.5));
    CHECK_GRADIENT("Y^{i} = \\sin(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\cos(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\tanh(X^{i})", by("X", {6}, -2, 2));
    CHECK_GRADIENT("Y^{i} = \\operatorname{sigmoid}(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\operatorname{relu}(X^{i})", by("X", {6}));
    CHECK_GRADIENT("Y^{i} = \\operatorname{gelu}(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\operatorname{silu}(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\operatorname{elu}(X^{i})", by("X", {6}, -3, 3));
    CHECK_GRADIENT("Y^{i} = \\operatorname{erf}(X^{i})", by("X", {6}, -2, 2));
    CHECK_GRADIENT("Y^{i} = |X^{i}|", by("X", {6}));
    CHECK_GRADIENT("Y^{i} = \\exp(\\sin(X^{i}) W^{i}) + \\operatorname{sign}(X^{i})", by("X", {6}),
                   by("W", {6}));
    CHECK_GRADIENT("Y^{ik} = \\tanh(X^{ij} W^{jk} + b^{k})", by("X", {3, 4}), by("W", {4, 5}),
                   by("b", {5}));
    CHECK_GRADIENT("\\phi(x) = \\operatorname{elu}(x) + 1; Y^{ij} = \\phi(X^{ia}) \\phi(W^{ja})",
                   by("X", {3, 4}), by("W", {2, 4}));
}

TEST_CASE("quotients, powers, extrema, remainders", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = X^{i} / W^{i}", by("X", {5}), by("W", {5}, 0.5, 2));
    CHECK_GRADIENT("Y^{ij} = \\frac{X^{ij}}{\\sum_{j'} W^{ij'}}", by("X", {3, 4}),
                   by("W", {3, 4}, 0.5, 2));
    CHECK_GRADIENT("Y^{ij} = \\frac{X^{ij}}{\\sum_{j'} X^{ij'}}", by("X", {3, 4}, 0.5, 2));
    CHECK_GRADIENT("Y^{i} = \\frac{1}{\\sqrt{d}} X^{i}", by("X", {4}), by("d", 2.5));
    CHECK_GRADIENT("Y^{i} = (X^{i})^2", by("X", {5}));
    CHECK_GRADIENT("Y^{i} = (X^{i})^3 + (X^{i})^{-1/2} + (X^{i})^{1.5}", by("X", {5}, 0.5, 2));
    CHECK_GRADIENT("Y^{i} = (X^{i})^{W^{i}}", by("X", {5}, 0.5, 2), by("W", {5}, -2, 2));
    CHECK_GRADIENT("Y^{i} = 2^{X^{i}}", by("X", {5}, -2, 2));
    CHECK_GRADIENT("Y^{i} = \\max(X^{i}, W^{i}) + 2 \\min(X^{i}, W^{i})", by("X", {6}),
                   by("W", {6}));
    CHECK_GRADIENT("Y^{i} = \\max(X^{i}, 0.1)", by("X", {6}));
    CHECK_GRADIENT("Y^{i} = X^{i} \\bmod 2", by("X", {6}, 0.1, 5));
}
