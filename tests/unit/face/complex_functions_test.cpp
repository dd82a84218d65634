// Complex programs through the public face: the imaginary unit, parts, conjugates and the functions
// of complex numbers, and their gradients.
#include <cmath>
#include <complex>
#include <limits>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

namespace {

using namespace ricci::literals;
using ricci::tensor;

template <class T>
tensor<T, 1> filled(std::size_t n, double seed) {
    using part = typename T::value_type;
    tensor<T, 1> z({n});
    for (std::size_t k = 0; k < n; ++k) {
        const double x = seed + static_cast<double>(k);
        z(k) = T(static_cast<part>(std::sin(3 * x)), static_cast<part>(std::cos(5 * x)));
    }
    return z;
}

template <class T>
bool close(T got, std::complex<long double> want) {
    const auto unit =
        static_cast<long double>(std::numeric_limits<typename T::value_type>::epsilon());
    const std::complex<long double> x(got.real(), got.imag());
    return std::abs(x - want) <= 64 * unit * (1 + std::abs(want));
}

/// The change of Re(g E) along dz, by differences and by the gradient.
template <class Program, class Backward>
void check_gradient(Program loss, Backward backward) {
    using T = std::complex<double>;
    auto z = filled<T>(5, 1);
    const auto dz = filled<T>(5, 2);
    const auto g = backward("z"_t = z, "dL/dE"_t = T(0.7, -0.4));
    T change = 0;
    for (std::size_t k = 0; k < 5; ++k) change += g["dL/dz"_t](k) * dz(k);
    const auto scaled = [&] { return (T(0.7, -0.4) * loss("z"_t = z)["E"_t]()).real(); };
    constexpr double step = 1e-5;
    for (std::size_t k = 0; k < 5; ++k) z(k) += step * dz(k);
    const double above = scaled();
    for (std::size_t k = 0; k < 5; ++k) z(k) -= 2 * step * dz(k);
    const double below = scaled();
    const double measured = (above - below) / (2 * step);
    CHECK(std::abs(change.real() - measured) < 1e-7 * (1 + std::abs(measured)));
}

}  // namespace

TEMPLATE_TEST_CASE("the imaginary unit and the functions of complex numbers", "[complex]",
                   std::complex<float>, std::complex<double>) {
    using T = TestType;
    constexpr auto all = R"(
        R^k = \Re z^k + 0 w^k
        M^k = \operatorname{Im}(z^k)
        C^k = \operatorname{conj}(z^k) w^k
        E^k = e^{\mathrm{i} \pi z^k}
        U^k = \mathrm{i} + 0 z^k
        S^k = \mathrm{i}^2 z^k + \mathrm{i} w^k
        T^k = \tan(z^k) + \arctan(w^k)
        H^k = \sinh(z^k) \cosh(w^k)
        P = \mathrm{i} \sum_k z^k w^k
        G^k = \operatorname{softplus}(\Re z^k) + \lfloor 3 \Im z^k \rfloor
    )"_eq;
    const auto z = filled<T>(37, 1), w = filled<T>(37, 2);
    const auto r = all("z"_t = z, "w"_t = w);
    using wide = std::complex<long double>;
    const wide i(0, 1);
    const long double pi = std::acos(-1.0L);
    wide sum = 0;
    int wrong = 0;
    for (std::size_t k = 0; k < 37; ++k) {
        const wide x(z(k).real(), z(k).imag()), y(w(k).real(), w(k).imag());
        sum += x * y;
        wrong += !close(r["R"_t](k), wide(x.real())) + !close(r["M"_t](k), wide(x.imag())) +
                 !close(r["C"_t](k), std::conj(x) * y) + !close(r["E"_t](k), std::exp(i * pi * x)) +
                 !close(r["S"_t](k), i * y - x) + !close(r["T"_t](k), std::tan(x) + std::atan(y)) +
                 !close(r["H"_t](k), std::sinh(x) * std::cosh(y)) + (r["U"_t](k) != T(0, 1)) +
                 !close(r["G"_t](k), wide(std::log1p(std::exp(x.real())) +
                                          std::floor(static_cast<long double>(3 * z(k).imag()))));
    }
    CHECK(wrong == 0);
    CHECK(close(r["P"_t](), i * sum));
}

TEST_CASE("gradients of parts, conjugates and complex functions", "[complex]") {
    constexpr auto parts = R"(
        Y^k = \Re(z^k) \Im(\exp(z^k)) + \mathrm{i} \operatorname{conj}(z^k) \Re(z^k z^k)
        E = \sum_k Y^k z^k
    )"_eq;
    check_gradient(parts, ricci::gradient(parts, "E"_t, ricci::wrt("z"_t)));
    constexpr auto functions = R"(
        E = \sum_k (\tan(z^k) + \arctan(\frac{z^k}{2}) \sinh z^k + \mathrm{i} \cosh z^k)
    )"_eq;
    check_gradient(functions, ricci::gradient(functions, "E"_t, ricci::wrt("z"_t)));
}

TEST_CASE("parts of real numbers, and functions of whole ones", "[complex]") {
    tensor<double, 1> x({3});
    tensor<std::int32_t, 1> n({3});
    // Re, conj and Im of real numbers are the number, the number, and 0.
    constexpr auto parts = R"(y^k = \Re x^k + \operatorname{conj}(x^k) + \Im x^k)"_eq;
    x(0) = 1.5, x(1) = -2, n(0) = 3;
    CHECK(parts("x"_t = x)["y"_t](0) == 3);
    CHECK(parts("x"_t = x)["y"_t](1) == -4);
    CHECK(parts("x"_t = n)["y"_t](0) == 6);

    constexpr auto rounded = R"(y^k = \lfloor n^k \rfloor + \lceil n^k \rceil)"_eq;
    CHECK(rounded("n"_t = n)["y"_t](0) == 6);
}

TEST_CASE("new functions in 16 bits and at their edges", "[complex]") {
    constexpr auto edges = R"(
        a^k = \operatorname{softplus}(x^k)
        b^k = \sinh x^k
        c^k = \cosh x^k
        d^k = \arctan x^k
        e_k = \lceil x^k \rceil + \lfloor x^k \rfloor
        f^k = \tan x^k
    )"_eq;
    const auto check = [&]<class T>(T) {
        tensor<T, 1> x({5});
        const float inf = std::numeric_limits<float>::infinity();
        const float at[] = {0.5f, -0.0f, inf, -inf, std::numeric_limits<float>::quiet_NaN()};
        for (std::size_t k = 0; k < 5; ++k) x(k) = T(at[k]);
        const auto r = edges("x"_t = x);
        const auto same = [&](auto y, float want, float slack) {
            const auto got = static_cast<float>(y);
            return got == want || (std::isnan(got) && std::isnan(want)) ||
                   std::abs(got - want) <= slack * std::abs(want);
        };
        for (std::size_t k = 0; k < 5; ++k) {
            CAPTURE(k);
            CHECK(same(r["a"_t](k),
                       at[k] > 0 && std::isinf(at[k]) ? inf : std::log1p(std::exp(at[k])), 0.01f));
            CHECK(same(r["b"_t](k), std::sinh(at[k]), 0.01f));
            CHECK(same(r["c"_t](k), std::cosh(at[k]), 0.01f));
            CHECK(same(r["d"_t](k), std::atan(at[k]), 0.01f));
            CHECK(same(r["e"_t](k), std::ceil(at[k]) + std::floor(at[k]), 0.01f));
            CHECK(same(r["f"_t](k), std::tan(at[k]), 0.01f));
        }
    };
    check(float{});
    check(double{});
    check(ricci::bf16{});
    check(ricci::f16{});
}
