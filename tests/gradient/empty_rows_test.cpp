// Axes of no extent, and rows that are masked everywhere, in derivatives of first and second order.
#include <cmath>

#include "tests/gradient/check.hpp"

namespace {
using ricci::testing::by;
using ricci::testing::numbers;

#define MASKED_ATTENTION                                                           \
    "S^{ij} = \\begin{cases} Q^{ia} K^{ja} & \\text{if } j < i \\\\ -\\infty & "   \
    "\\text{otherwise} \\end{cases}; A^{ij} = \\operatorname{softmax}_j(S^{ij}); " \
    "Y^{ic} = A^{ij} V^{jc}"
}  // namespace

// Every case compares the gradient, the tangent and the tangent of the gradient with differences.
TEST_CASE("rows that are masked everywhere have zero derivatives", "[gradient]") {
    CHECK_GRADIENT(MASKED_ATTENTION, by("Q", {4, 3}), by("K", {4, 3}), by("V", {4, 2}));
    CHECK_GRADIENT(
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } i < 0 \\\\ -\\infty & "
        "\\text{otherwise} \\end{cases}; Y^{ij} = W^{ij} + \\text{softmax}_j(S^{ij})",
        by("X", {2, 3}), by("W", {2, 3}));
}

TEST_CASE("derivatives where an axis has no extent", "[gradient]") {
    CHECK_GRADIENT("Y^{ik} = X^{ij} (W^{jk})^2", by("X", {0, 3}), by("W", {3, 2}));
    CHECK_GRADIENT("Y^{ik} = (X^{ij})^2 W^{jk}", by("X", {2, 0}), by("W", {0, 3}));
    CHECK_GRADIENT("Y^{i} = \\sum_j \\exp(X^{ij}) + c", by("X", {3, 0}), by("c", 0.5));
    CHECK_GRADIENT("Y = \\sum_{i,j} \\text{softmax}_j(X^{ij}) z^{j}", by("X", {3, 0}),
                   by("z", {0}));
    CHECK_GRADIENT("Y^{i} = \\exp(\\max_j(X^{ij})) + c", by("X", {3, 0}), by("c", 0.5));
    CHECK_GRADIENT("Y^{i} = c^i \\exp(-\\min_j(X^{ij}))", by("X", {3, 0}), by("c", {3}));
    CHECK_GRADIENT("Y^{i} = c^i \\prod_j X^{ij}", by("X", {3, 0}), by("c", {3}));
    CHECK_GRADIENT(MASKED_ATTENTION, by("Q", {0, 3}), by("K", {0, 3}), by("V", {0, 2}));
}

TEST_CASE("the Jacobian of a masked softmax, and of one without rows or columns", "[gradient]") {
    const auto f = ricci::parse(
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } j < i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}; Y^{ij} = \\operatorname{softmax}_j(S^{ij})");
    REQUIRE(f);
    const ricci::program slopes = ricci::jacobian(*f, "Y", {"X"});
    const ricci::program moves = ricci::tangent(slopes, {"X"});
    for (const std::size_t rows : {0u, 1u, 4u})
        for (const std::size_t columns : {0u, 3u}) {
            auto x = ricci::testing::spread("x", {rows, columns}, -1, 1);
            auto v = ricci::testing::spread("v", {rows, columns}, -1, 1);
            const auto jacobian = [&] { return ricci::run(slopes, {{"X", x}}); };
            const auto along = ricci::run(moves, {{"X", x}, {"d/dt X", v}});
            const auto here = jacobian();
            const auto j = here["dY/dX"].as<double, 4>(),
                       moved = along["d/dt dY/dX"].as<double, 4>();
            const auto at = x.as<double, 2>();
            REQUIRE(j.extents() == (std::array<std::size_t, 4>{rows, columns, rows, columns}));
            REQUIRE(moved.extents() == j.extents());
            const auto weight = [&](std::size_t r, std::size_t c) {
                double total = 0;
                for (std::size_t k = 0; k < columns && k < r; ++k) total += std::exp(at(r, k));
                return c < r ? std::exp(at(r, c)) / total : 0;
            };
            constexpr double h = 1e-4;
            const auto shifted = [&](double t) {
                const auto shift = [&](double by) {
                    for (std::size_t k = 0; k < x.size(); ++k) numbers(x)[k] += by * numbers(v)[k];
                };
                shift(t);
                auto result = jacobian();
                shift(-t);
                return result;
            };
            const auto above = shifted(h), below = shifted(-h);
            const auto high = above["dY/dX"].as<double, 4>(), low = below["dY/dX"].as<double, 4>();
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c)
                    for (std::size_t k = 0; k < rows; ++k)
                        for (std::size_t l = 0; l < columns; ++l) {
                            const double expected =
                                r == k ? weight(r, c) * ((c == l ? 1 : 0) - weight(r, l)) : 0;
                            CHECK(std::abs(j(r, c, k, l) - expected) < 1e-14);
                            const double slope = (high(r, c, k, l) - low(r, c, k, l)) / (2 * h);
                            CHECK(std::abs(moved(r, c, k, l) - slope) < 1e-7);
                        }
        }
}
