// Sums with conditions and bounds, products and norms in numbers, against plain loops.
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

namespace {

using namespace ricci::literals;

constexpr std::size_t n = 13, m = 7;

ricci::tensor<double, 1> vector(unsigned seed, std::size_t count = n) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> numbers(-2, 2);
    ricci::tensor<double, 1> x({count});
    for (std::size_t i = 0; i < count; ++i) x(i) = numbers(random);
    return x;
}
ricci::tensor<double, 2> matrix(unsigned seed, std::size_t rows = n, std::size_t columns = m) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> numbers(-2, 2);
    ricci::tensor<double, 2> x({rows, columns});
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) x(i, j) = numbers(random);
    return x;
}
bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1 + std::abs(b)); }

TEST_CASE("sums take what their conditions and bounds leave") {
    constexpr auto sums = R"(
        c^i = \sum_{j \le i} x^j z^i
        g^i = \sum_{j=1}^{i-1} x^j z^i
        f^i_k = \sum_{j \ne i} A^{jk} z^i
        u = \sum_{i<j} x^i x^j
        v = \sum_{a=1}^{3} x^a + \sum_{a=1}^{d} x^a
    )"_eq;
    const auto x = vector(1), z = vector(2);
    const auto A = matrix(3);
    const auto r = sums("x"_t = x, "z"_t = z, "A"_t = A);
    double pairs = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double to = 0, before = 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (j <= i) to += x(j);
            if (j < i) before += x(j);
            if (i < j) pairs += x(i) * x(j);
        }
        CHECK(near(r["c"_t](i), to * z(i)));
        CHECK(near(r["g"_t](i), before * z(i)));
        for (std::size_t k = 0; k < m; ++k) {
            double others = 0;
            for (std::size_t j = 0; j < n; ++j) others += j != i ? A(j, k) : 0;
            CHECK(near(r["f"_t](i, k), others * z(i)));
        }
        all += x(i);
    }
    CHECK(near(r["u"_t](), pairs));
    CHECK(near(r["v"_t](), x(0) + x(1) + x(2) + all));
}

TEST_CASE("a sum over the first places needs that many") {
    constexpr auto sum = R"(v = \sum_{a=1}^{3} x^a)"_eq;
    const auto two = vector(1, 2);
    CHECK_THROWS_AS(sum("x"_t = two), ricci::error);
    const auto three = vector(1, 3);
    CHECK(near(sum("x"_t = three)["v"_t](), three(0) + three(1) + three(2)));
}

template <class T>
double product_of(const ricci::tensor<T, 2>& A, bool along_rows, std::size_t at) {
    double result = 1;
    const std::size_t count = A.extent(along_rows ? 1 : 0);
    for (std::size_t k = 0; k < count; ++k)
        result *= static_cast<double>(along_rows ? A(at, k) : A(k, at));
    return result;
}

TEST_CASE("products multiply rows, columns and all") {
    constexpr auto products = R"(
        p^i = \prod_j A^{ij}
        q^j = \prod_i A^{ij}
        r = \prod_{i,j} (1 + \frac{A^{ij}}{10})
        s^i = \prod_{j : j \ne 2} (A^{ij})^2
        t = 3 \prod_{k=1}^{2} x^k + 1
        w^i = x^i \prod_{j} x^i
    )"_eq;
    for (const std::size_t columns : {std::size_t{0}, std::size_t{1}, m, std::size_t{97}}) {
        const auto A = matrix(3, n, columns);
        const auto x = vector(4);
        ricci::tensor<double, 1> t({n});
        const auto r = products("A"_t = A, "x"_t = x, "j"_i = columns);
        double all = 1;
        for (std::size_t i = 0; i < n; ++i) {
            double others = 1, power = x(i);
            for (std::size_t j = 0; j < columns; ++j) {
                all *= 1 + A(i, j) / 10;
                others *= j != 2 ? A(i, j) * A(i, j) : 1;
                power *= x(i);
            }
            CHECK(near(r["p"_t](i), product_of(A, true, i)));
            CHECK(near(r["s"_t](i), others));
            CHECK(near(r["w"_t](i), power));
        }
        for (std::size_t j = 0; j < columns; ++j) CHECK(near(r["q"_t](j), product_of(A, false, j)));
        CHECK(near(r["r"_t](), all));
        CHECK(near(r["t"_t](), 3 * x(0) * x(1) + 1));
    }
}

TEST_CASE("products of whole and complex numbers") {
    constexpr auto product = R"(p = \prod_i x^i)"_eq;
    ricci::tensor<std::int64_t, 1> whole({5});
    for (std::size_t i = 0; i < 5; ++i) whole(i) = static_cast<std::int64_t>(i) + 2;
    CHECK(product("x"_t = whole)["p"_t]() == 720);
    ricci::tensor<std::complex<double>, 1> turns({4});
    for (std::size_t i = 0; i < 4; ++i) turns(i) = {0, 2};
    CHECK(product("x"_t = turns)["p"_t]() == std::complex<double>(16, 0));
    ricci::tensor<float, 2> many({300, 70});
    for (std::size_t i = 0; i < 300; ++i)
        for (std::size_t j = 0; j < 70; ++j) many(i, j) = (i + j) % 3 == 0 ? 2.0f : 0.5f;
    constexpr auto both = R"(p^i = \prod_j A^{ij}; q^j = \prod_i A^{ij})"_eq;
    const auto r = both("A"_t = many);
    for (std::size_t i = 0; i < 300; ++i)
        CHECK(r["p"_t](i) == static_cast<float>(product_of(many, true, i)));
    for (std::size_t j = 0; j < 70; ++j)
        CHECK(r["q"_t](j) == static_cast<float>(product_of(many, false, j)));
}

TEST_CASE("the gradient of a product is right where factors are 0") {
    constexpr auto product = R"(L = \prod_i x^i)"_eq;
    constexpr auto gradient = ricci::gradient(product, "L"_t, ricci::wrt("x"_t));
    for (const int zeros : {0, 1, 2}) {
        auto x = vector(5, 6);
        for (int k = 0; k < zeros; ++k) x(static_cast<std::size_t>(2 * k)) = 0;
        ricci::tensor<double, 0> one;
        one() = 1;
        const auto r = gradient("x"_t = x, "dL/dL"_t = one);
        for (std::size_t i = 0; i < 6; ++i) {
            double others = 1;
            for (std::size_t k = 0; k < 6; ++k) others *= k != i ? x(k) : 1;
            CHECK(near(r["dL/dx"_t](i), others));
        }
    }
    constexpr auto forward = ricci::tangent(product, ricci::wrt("x"_t));
    auto x = vector(6, 5), v = vector(7, 5);
    x(1) = 0;
    double expected = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        double others = v(i);
        for (std::size_t k = 0; k < 5; ++k) others *= k != i ? x(k) : 1;
        expected += others;
    }
    CHECK(near(forward("x"_t = x, "d/dt x"_t = v)["d/dt L"_t](), expected));
}

TEST_CASE("norms run over what stands in every term") {
    constexpr auto norms = R"(
        D^{ij} = \lVert x^{ia} - z^{ja} \rVert
        S = \|x^{ia}\|_F^2
        T^i = \lVert x^{ia} \rVert_1
        U = \lVert x^{ia} \rVert_\infty
        V^i = \lVert x^{ia} y^{ab} - w^b \rVert
    )"_eq;
    const auto x = matrix(1), z = matrix(2), y = matrix(3, m, 4);
    const auto w = vector(4, 4);
    const auto r = norms("x"_t = x, "z"_t = z, "y"_t = y, "w"_t = w);
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double absolute = 0, distance = 0;
        for (std::size_t a = 0; a < m; ++a) {
            squares += x(i, a) * x(i, a);
            largest = std::max(largest, std::abs(x(i, a)));
            absolute += std::abs(x(i, a));
        }
        for (std::size_t b = 0; b < 4; ++b) {
            double product = -w(b);
            for (std::size_t a = 0; a < m; ++a) product += x(i, a) * y(a, b);
            distance += product * product;
        }
        CHECK(near(r["T"_t](i), absolute));
        CHECK(near(r["V"_t](i), std::sqrt(distance)));
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t a = 0; a < m; ++a) sum += (x(i, a) - z(j, a)) * (x(i, a) - z(j, a));
            CHECK(near(r["D"_t](i, j), std::sqrt(sum)));
        }
    }
    CHECK(near(r["S"_t](), squares));
    CHECK(near(r["U"_t](), largest));
}

TEST_CASE("parts of one tensor are one tensor") {
    constexpr auto encoding = R"(
        PE_{(pos, 2i)} = \sin(pos \cdot w^i),
        PE_{(pos, 2i+1)} = \cos(pos \cdot w^i).
        R^{1i} = w^i x^i; R^{0i} = w^i - x^i
        S = R^{0i} R^{1i}
    )"_eq.keep("R"_t);
    const auto w = vector(1, 5), x = vector(2, 5);
    const auto r = encoding("w"_t = w, "x"_t = x, "pos"_i = 4);
    double both = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t p = 0; p < 4; ++p) {
            const double angle = static_cast<double>(p) * w(i);
            CHECK(near(r["PE"_t](p, 2 * i), std::sin(angle)));
            CHECK(near(r["PE"_t](p, 2 * i + 1), std::cos(angle)));
        }
        CHECK(near(r["R"_t](0, i), w(i) - x(i)));
        CHECK(near(r["R"_t](1, i), w(i) * x(i)));
        both += (w(i) - x(i)) * w(i) * x(i);
    }
    CHECK(r["PE"_t].extent(1) == 10);
    CHECK(near(r["S"_t](), both));
    // rotations of pairs, and the gradient through the parts
    constexpr auto turn = R"(
        Y^{i0} = x^{i0} \cos(w^i) - x^{i1} \sin(w^i)
        Y^{i1} = x^{i0} \sin(w^i) + x^{i1} \cos(w^i)
    )"_eq;
    constexpr auto back = ricci::gradient(turn, "Y"_t, ricci::wrt("x"_t));
    const auto pairs = matrix(3, 5, 2), g = matrix(4, 5, 2);
    const auto y = turn("x"_t = pairs, "w"_t = w);
    const auto d = back("x"_t = pairs, "w"_t = w, "dL/dY"_t = g);
    for (std::size_t i = 0; i < 5; ++i) {
        const double c = std::cos(w(i)), s = std::sin(w(i));
        CHECK(near(y["Y"_t](i, 0), pairs(i, 0) * c - pairs(i, 1) * s));
        CHECK(near(y["Y"_t](i, 1), pairs(i, 0) * s + pairs(i, 1) * c));
        CHECK(near(d["dL/dx"_t](i, 0), g(i, 0) * c + g(i, 1) * s));
        CHECK(near(d["dL/dx"_t](i, 1), g(i, 1) * c - g(i, 0) * s));
    }
}

}  // namespace
