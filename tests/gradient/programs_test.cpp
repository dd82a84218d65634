// Gradients of programs of several equations: tensors used more than once, layers of networks.
#include "tests/gradient/check.hpp"

namespace {
using ricci::testing::by;
using ricci::testing::given;
}  // namespace

TEST_CASE("a tensor used in several equations", "[gradient]") {
    CHECK_GRADIENT("Z^{i} = X^{i} X^{i}; W^{i} = \\exp(X^{i}); Y^{i} = Z^{i} + W^{i} X^{i}",
                   by("X", {5}));
    CHECK_GRADIENT("Z^{ij} = X^{ia} X^{ja}; Y^{ij} = Z^{ij} + Z^{ji} W^{ij}", by("X", {3, 4}),
                   by("W", {3, 3}));
    CHECK_GRADIENT("P^{ij} = \\tanh(X^{ij}); Q^{ij} = P^{ij} P^{ji}; Y^{i} = \\sum_j Q^{ij} P^{ij}",
                   by("X", {4, 4}));
    CHECK_GRADIENT("m = \\operatorname{mean}_i(X^{i}); Y^{i} = (X^{i} - m)^2", by("X", {5}));
}

TEST_CASE("layer normalisation", "[gradient]") {
    CHECK_GRADIENT(
        "\\mu^{i} = \\operatorname{mean}_a(X^{ia})\n"
        "v^{i} = \\operatorname{mean}_a((X^{ia} - \\mu^{i})^2)\n"
        "Y^{ia} = g^{a} \\frac{X^{ia} - \\mu^{i}}{\\sqrt{v^{i} + 0.01}} + b^{a}",
        by("X", {3, 5}), by("g", {5}), by("b", {5}));
}

TEST_CASE("a network of two layers, and the entropy of a distribution", "[gradient]") {
    CHECK_GRADIENT(
        "H^{ik} = \\operatorname{gelu}(X^{ij} W^{jk} + b^{k}); Y^{il} = H^{ik} U^{kl} + X^{il}",
        by("X", {3, 4}), by("W", {4, 5}), by("b", {5}), by("U", {5, 4}));
    CHECK_GRADIENT(
        "A^{ij} = \\operatorname{softmax}_j(X^{ij}); Y^{i} = -\\sum_j A^{ij} \\log A^{ij}",
        by("X", {3, 4}));
    CHECK_GRADIENT(
        "\\phi(x) = \\operatorname{elu}(x) + 1\n"
        "S^{ac} = \\phi(K^{ja}) V^{jc}\n"
        "Z^{i} = \\phi(Q^{ia}) \\sum_j \\phi(K^{ja})\n"
        "Y^{ic} = \\frac{\\phi(Q^{ia}) S^{ac}}{Z^{i}}",
        by("Q", {3, 4}), by("K", {5, 4}), by("V", {5, 2}));
}

TEST_CASE("attention", "[gradient]") {
    CHECK_GRADIENT(R"(
        Q^{hia} = X^{ib} W_Q^{hba}
        K^{hja} = X^{jb} W_K^{hba}
        V^{hjc} = X^{jb} W_V^{hbc}
        S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
        A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
        O^{hic} = A^{hij} V^{hjc}
        Y^{id}  = O^{hic} W_O^{hcd}
    )",
                   by("X", {5, 6}), by("W_Q", {2, 6, 3}), by("W_K", {2, 6, 3}),
                   by("W_V", {2, 6, 4}), by("W_O", {2, 4, 6}), by("d_k", 3));
    CHECK_GRADIENT(R"(
        S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
        M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
        A^{hij} = \operatorname{softmax}_j(M^{hij})
        Y^{i(hc)} = A^{hij} V^{hjc}
    )",
                   by("Q", {2, 4, 3}), by("K", {2, 4, 3}), by("V", {2, 4, 2}), given("d_k", 3));
}
