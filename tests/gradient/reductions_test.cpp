// Gradients of softmax, log-sum-exp, means, extrema, conditions, diagonals and merged axes.
#include "tests/gradient/check.hpp"

namespace {
using ricci::testing::by;
using ricci::testing::extent_of;
}  // namespace

TEST_CASE("reductions", "[gradient]") {
    CHECK_GRADIENT("Y^{ij} = \\operatorname{softmax}_j(X^{ij})", by("X", {3, 5}, -2, 2));
    CHECK_GRADIENT("Y^{ij} = \\operatorname{softmax}_i(X^{ij})", by("X", {3, 5}, -2, 2));
    CHECK_GRADIENT("Y^{ij} = W^{ij} \\operatorname{softmax}_j(2 X^{ij} + b^{j})", by("W", {3, 4}),
                   by("X", {3, 4}), by("b", {4}));
    CHECK_GRADIENT("Y^{ij} = \\frac{\\exp(X^{ij})}{\\sum_{k} \\exp(X^{ik})}", by("X", {3, 4}));
    CHECK_GRADIENT("Y^{i} = \\operatorname{logsumexp}_j(X^{ij})", by("X", {3, 5}, -2, 2));
    CHECK_GRADIENT("Y = \\log \\sum_i \\exp(X^{i} W^{i})", by("X", {5}), by("W", {5}));
    CHECK_GRADIENT("Y^{i} = \\operatorname{mean}_j ((X^{ij} W^{j})^2)", by("X", {3, 5}),
                   by("W", {5}));
    CHECK_GRADIENT("Y^{i} = \\max_j(X^{ij})", by("X", {3, 5}));
    CHECK_GRADIENT("Y^{i} = \\min_j(X^{ij} W^{j})", by("X", {3, 5}), by("W", {5}, 0.5, 1));
    CHECK_GRADIENT("Y^{ij} = \\exp(X^{ij} - \\max_{j'}(X^{ij'}))", by("X", {3, 4}));
    CHECK_GRADIENT("Y^{i} = \\exp(\\sum_j X^{ij} W^{j})", by("X", {3, 4}), by("W", {4}));
}

TEST_CASE("conditions and masks", "[gradient]") {
    CHECK_GRADIENT(
        "Y^{ij} = \\begin{cases} X^{i} & \\text{if } j \\le i \\\\ W^{j} & \\text{otherwise} "
        "\\end{cases}",
        by("X", {4}), by("W", {5}));
    CHECK_GRADIENT(
        "Y^{ij} = \\begin{cases} X^{ij} & \\text{if } j < i \\\\ 2 X^{ij} & \\text{if } j = i \\\\ "
        "W^{ij} & \\text{otherwise} \\end{cases}",
        by("X", {4, 4}), by("W", {4, 4}));
    CHECK_GRADIENT("Y^{ij} = [j \\le i] X^{ij}", by("X", {4, 4}));
    CHECK_GRADIENT("Y^{i} = [X^{i} > 0] X^{i} W^{i}", by("X", {6}), by("W", {6}));
    CHECK_GRADIENT("Y^{ij} = X^{ij} - m \\cdot |i - j|", by("X", {3, 4}), by("m", 0.3));
    // causal, and a mask under which the first row has nothing: it gives zeros, with no gradient
    CHECK_GRADIENT(
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}\n"
        "Y^{ij} = \\operatorname{softmax}_j(S^{ij})",
        by("X", {4, 4}));
    CHECK_GRADIENT(
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } j < i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}\n"
        "Y^{ij} = \\operatorname{softmax}_j(S^{ij})",
        by("X", {4, 4}));
}

TEST_CASE("diagonals, merged axes", "[gradient]") {
    CHECK_GRADIENT("Y^{i} = X^{iij} W^{j}", by("X", {3, 3, 2}), by("W", {2}));
    CHECK_GRADIENT("Y^{hia} = X^{i(ha)}", by("X", {3, 6}), extent_of("h", 2));
    CHECK_GRADIENT("Y^{hij} = X^{i(ha)} W^{j(ha)}", by("X", {3, 6}), by("W", {4, 6}),
                   extent_of("h", 2));
}
