// Gradients by tensors whose shape the derived equations alone do not give: dL/dX is as long as X.
#include "tests/gradient/check.hpp"

namespace {
using namespace ricci::literals;
using ricci::testing::by;
using ricci::testing::given;
}  // namespace

TEST_CASE("a gradient has the shape of its tensor", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = \\operatorname{mean}_j(X^{ij})", by("X"_t, {3, 5}));
    CHECK_GRADIENT("Y = \\operatorname{mean}_{i,j}(X^{ij})", by("X"_t, {3, 5}));
    CHECK_GRADIENT("Y^{i} = \\sum_j X^{ij}", by("X"_t, {3, 4}));
    CHECK_GRADIENT("Y = X^{ii}", by("X"_t, {4, 4}));
    CHECK_GRADIENT("Y^{i} = X^{ii}", by("X"_t, {4, 4}));
    CHECK_GRADIENT("Y^{i(ha)} = X^{hia}", by("X"_t, {2, 3, 4}));
    CHECK_GRADIENT("Y^{ia} = X^{i1a}", by("X"_t, {3, 2, 4}));
    CHECK_GRADIENT("Y^{i} = X^{i0} X^{i1}", by("X"_t, {4, 2}));
    CHECK_GRADIENT("Y^{i} = X^{i+k} W^{k}", by("X"_t, {7}), by("W"_t, {3}));
    CHECK_GRADIENT("Y^{ij} = X^{i} W^{j} b^{i-j}", by("X"_t, {3}), by("W"_t, {4}), by("b"_t, {6}));
    CHECK_GRADIENT("Y^{i} = X^{2i+1} W^{i}", by("X"_t, {8}), by("W"_t, {4}));
    CHECK_GRADIENT("Y = \\sum_{i,j} X^{i} X^{j}", by("X"_t, {4}));
    CHECK_GRADIENT("Y^{i} = X^{i} (\\sum_j W^{j})", by("X"_t, {4}), by("W"_t, {3}));
    CHECK_GRADIENT(R"(
        S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja} + b^{h(i-j)}
        M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
        A^{hij} = \operatorname{softmax}_j(M^{hij})
        Y^{i(hc)} = A^{hij} V^{hjc}
    )",
                   by("Q"_t, {2, 4, 3}), by("K"_t, {2, 4, 3}), by("V"_t, {2, 4, 2}),
                   by("b"_t, {2, 7}), given("d_k"_t, 3));
}

TEST_CASE("an index that a derived equation has lost runs as far as it did", "[gradient]") {
    // k is as long as X, though only the longer O is left where dL/dR is computed
    CHECK_GRADIENT("Y = O^{k+1} (X^{k} + R)", by("O"_t, {6}), by("X"_t, {3}), by("R"_t, 0.5));
    CHECK_GRADIENT("Y^{a} = \\operatorname{mean}_i (X^{ia} + b^{a})", by("X"_t, {3, 5}),
                   by("b"_t, {5}));
    CHECK_GRADIENT("Y = \\sum_{i} (x^{i} + c)^2", by("x"_t, {4}), by("c"_t, 0.5));
    CHECK_GRADIENT("P^{i} = 2 x^{i}; Y^{a} = \\sum_i (P^{i} + b^{a})", by("x"_t, {4}),
                   by("b"_t, {3}));
    // the same axis divided in two ways
    CHECK_GRADIENT("Y^{i} = X^{(ij)} X^{(ji)} z^{ij}", by("X"_t, {6}), by("z"_t, {2, 3}));
    // a sum below one that has to be renamed
    CHECK_GRADIENT("Y = (\\sum_l \\sum_{k,l'} s^{lkl'}) \\sum_l m^{l}", by("s"_t, {2, 3, 4}),
                   by("m"_t, {2}));
}

TEST_CASE("a letter that is bound in two terms has an extent in each", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = \\sum_k A^{ik} + \\sum_k B^{ik}", by("A"_t, {2, 3}), by("B"_t, {2, 5}));
    CHECK_GRADIENT("Y^{i} = A^{ik} x^{k} + B^{ik} z^{k}", by("A"_t, {2, 3}), by("x"_t, {3}),
                   by("B"_t, {2, 5}), by("z"_t, {5}));
    CHECK_GRADIENT(
        "Y^{i} = (\\operatorname{mean}_k A^{ik}) (\\operatorname{mean}_k ((B^{ik})^2)) "
        "\\operatorname{logsumexp}_k C^{ik}",
        by("A"_t, {2, 3}), by("B"_t, {2, 5}), by("C"_t, {2, 4}));
    CHECK_GRADIENT("Y^{i} = \\frac{\\sum_k \\exp(A^{ik})}{1 + \\sum_k \\exp(B^{ik})}",
                   by("A"_t, {2, 3}), by("B"_t, {2, 5}));
}
