// Gradients by tensors whose shape the derived equations alone do not give: dL/dX is as long as X.
#include "tests/gradient/check.hpp"

namespace {
using ricci::testing::by;
using ricci::testing::given;
}  // namespace

TEST_CASE("a gradient has the shape of its tensor", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = \\operatorname{mean}_j(X^{ij})", by("X", {3, 5}));
    CHECK_GRADIENT("Y = \\operatorname{mean}_{i,j}(X^{ij})", by("X", {3, 5}));
    CHECK_GRADIENT("Y^{i} = \\sum_j X^{ij}", by("X", {3, 4}));
    CHECK_GRADIENT("Y = X^{ii}", by("X", {4, 4}));
    CHECK_GRADIENT("Y^{i} = X^{ii}", by("X", {4, 4}));
    CHECK_GRADIENT("Y^{i(ha)} = X^{hia}", by("X", {2, 3, 4}));
    CHECK_GRADIENT("Y^{ia} = X^{i1a}", by("X", {3, 2, 4}));
    CHECK_GRADIENT("Y^{i} = X^{i0} X^{i1}", by("X", {4, 2}));
    CHECK_GRADIENT("Y^{i} = X^{i+k} W^{k}", by("X", {7}), by("W", {3}));
    CHECK_GRADIENT("Y^{ij} = X^{i} W^{j} b^{i-j}", by("X", {3}), by("W", {4}), by("b", {6}));
    CHECK_GRADIENT("Y^{i} = X^{2i+1} W^{i}", by("X", {8}), by("W", {4}));
    CHECK_GRADIENT("Y = \\sum_{i,j} X^{i} X^{j}", by("X", {4}));
    CHECK_GRADIENT("Y^{i} = X^{i} (\\sum_j W^{j})", by("X", {4}), by("W", {3}));
    CHECK_GRADIENT(R"(
        S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja} + b^{h(i-j)}
        M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
        A^{hij} = \operatorname{softmax}_j(M^{hij})
        Y^{i(hc)} = A^{hij} V^{hjc}
    )",
                   by("Q", {2, 4, 3}), by("K", {2, 4, 3}), by("V", {2, 4, 2}), by("b", {2, 7}),
                   given("d_k", 3));
}

TEST_CASE("an index that a derived equation has lost runs as far as it did", "[gradient]") {
    // k is as long as X, though only the longer O is left where dL/dR is computed
    CHECK_GRADIENT("Y = O^{k+1} (X^{k} + R)", by("O", {6}), by("X", {3}), by("R", 0.5));
    CHECK_GRADIENT("Y^{a} = \\operatorname{mean}_i (X^{ia} + b^{a})", by("X", {3, 5}),
                   by("b", {5}));
    CHECK_GRADIENT("Y = \\sum_{i} (x^{i} + c)^2", by("x", {4}), by("c", 0.5));
    CHECK_GRADIENT("P^{i} = 2 x^{i}; Y^{a} = \\sum_i (P^{i} + b^{a})", by("x", {4}), by("b", {3}));
    // the same axis divided in two ways
    CHECK_GRADIENT("Y^{i} = X^{(ij)} X^{(ji)} z^{ij}", by("X", {6}), by("z", {2, 3}));
    // a sum below one that has to be renamed
    CHECK_GRADIENT("Y = (\\sum_l \\sum_{k,l'} s^{lkl'}) \\sum_l m^{l}", by("s", {2, 3, 4}),
                   by("m", {2}));
}

TEST_CASE("a letter that is bound in two terms has an extent in each", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = \\sum_k A^{ik} + \\sum_k B^{ik}", by("A", {2, 3}), by("B", {2, 5}));
    CHECK_GRADIENT("Y^{i} = A^{ik} x^{k} + B^{ik} z^{k}", by("A", {2, 3}), by("x", {3}),
                   by("B", {2, 5}), by("z", {5}));
    CHECK_GRADIENT(
        "Y^{i} = (\\operatorname{mean}_k A^{ik}) (\\operatorname{mean}_k ((B^{ik})^2)) "
        "\\operatorname{logsumexp}_k C^{ik}",
        by("A", {2, 3}), by("B", {2, 5}), by("C", {2, 4}));
    CHECK_GRADIENT("Y^{i} = \\frac{\\sum_k \\exp(A^{ik})}{1 + \\sum_k \\exp(B^{ik})}",
                   by("A", {2, 3}), by("B", {2, 5}));
}
