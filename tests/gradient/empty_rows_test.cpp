// Axes of no extent, and rows that are masked everywhere, in derivatives of first and second order.
#include <cmath>

#include "tests/gradient/check.hpp"

namespace {
using namespace ricci::literals;
using ricci::testing::by;
using ricci::testing::given;

#define MASKED_ATTENTION                                                           \
    "S^{ij} = \\begin{cases} Q^{ia} K^{ja} & \\text{if } j < i \\\\ -\\infty & "   \
    "\\text{otherwise} \\end{cases}; A^{ij} = \\operatorname{softmax}_j(S^{ij}); " \
    "Y^{ic} = A^{ij} V^{jc}"
}  // namespace

// Every case compares the gradient, the tangent and the tangent of the gradient with differences.
TEST_CASE("rows that are masked everywhere have zero derivatives", "[gradient]") {
    CHECK_GRADIENT(MASKED_ATTENTION, by("Q"_t, {4, 3}), by("K"_t, {4, 3}), by("V"_t, {4, 2}));
    CHECK_GRADIENT(
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } i < 0 \\\\ -\\infty & "
        "\\text{otherwise} \\end{cases}; Y^{ij} = W^{ij} + \\text{softmax}_j(S^{ij})",
        by("X"_t, {2, 3}), by("W"_t, {2, 3}));
}

TEST_CASE("derivatives where an axis has no extent", "[gradient]") {
    CHECK_GRADIENT("Y^{ik} = X^{ij} (W^{jk})^2", by("X"_t, {0, 3}), by("W"_t, {3, 2}));
    CHECK_GRADIENT("Y^{ik} = (X^{ij})^2 W^{jk}", by("X"_t, {2, 0}), by("W"_t, {0, 3}));
    CHECK_GRADIENT("Y^{i} = \\sum_j \\exp(X^{ij}) + c", by("X"_t, {3, 0}), by("c"_t, 0.5));
    CHECK_GRADIENT("Y = \\sum_{i,j} \\text{softmax}_j(X^{ij}) z^{j}", by("X"_t, {3, 0}),
                   by("z"_t, {0}));
    CHECK_GRADIENT("Y^{i} = \\exp(\\max_j(X^{ij})) + c", by("X"_t, {3, 0}), by("c"_t, 0.5));
    CHECK_GRADIENT("Y^{i} = c^i \\exp(-\\min_j(X^{ij}))", by("X"_t, {3, 0}), by("c"_t, {3}));
    CHECK_GRADIENT("Y^{i} = c^i \\prod_j X^{ij}", by("X"_t, {3, 0}), by("c"_t, {3}));
    CHECK_GRADIENT(MASKED_ATTENTION, by("Q"_t, {0, 3}), by("K"_t, {0, 3}), by("V"_t, {0, 2}));
}

TEST_CASE("the Jacobian of a masked softmax, and of one without rows or columns", "[gradient]") {
    constexpr auto f =
        "S^{ij} = \\begin{cases} X^{ij} & \\text{if } j < i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}; Y^{ij} = \\operatorname{softmax}_j(S^{ij})"_eq;
    constexpr auto slopes = ricci::jacobian(f, "Y"_t, ricci::wrt("X"_t));
    constexpr auto moves = ricci::tangent(slopes, ricci::wrt("X"_t));
    for (const std::size_t rows : {0u, 1u, 4u})
        for (const std::size_t columns : {0u, 3u}) {
            auto x = ricci::testing::spread<2>({rows, columns}, 3, -1, 1);
            auto v = ricci::testing::spread<2>({rows, columns}, 4, -1, 1);
            const auto jacobian = [&] { return slopes("X"_t = x); };
            const auto along = moves("X"_t = x, "d/dt X"_t = v);
            const auto here = jacobian();
            const auto& j = here["dY/dX"_t];
            const auto& moved = along["d/dt dY/dX"_t];
            REQUIRE(j.extents() == (std::array<std::size_t, 4>{rows, columns, rows, columns}));
            REQUIRE(moved.extents() == j.extents());
            const auto weight = [&](std::size_t r, std::size_t c) {
                double total = 0;
                for (std::size_t k = 0; k < columns && k < r; ++k) total += std::exp(x(r, k));
                return c < r ? std::exp(x(r, c)) / total : 0;
            };
            constexpr double h = 1e-4;
            const auto shifted = [&](double t) {
                for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] += t * v.data()[k];
                auto result = jacobian();
                for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] -= t * v.data()[k];
                return result;
            };
            const auto above = shifted(h), below = shifted(-h);
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c)
                    for (std::size_t k = 0; k < rows; ++k)
                        for (std::size_t l = 0; l < columns; ++l) {
                            const double expected =
                                r == k ? weight(r, c) * ((c == l ? 1 : 0) - weight(r, l)) : 0;
                            CHECK(std::abs(j(r, c, k, l) - expected) < 1e-14);
                            const double slope =
                                (above["dY/dX"_t](r, c, k, l) - below["dY/dX"_t](r, c, k, l)) /
                                (2 * h);
                            CHECK(std::abs(moved(r, c, k, l) - slope) < 1e-7);
                        }
        }
}
