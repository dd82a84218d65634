// Complex quotients, roots, sizes, logarithms and exponentials where parts are infinite, no number,
// huge, tiny, or zero of either sign; compared with std::complex of long double.
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using wide = std::complex<long double>;

template <class T>
bool agrees(T got, long double want, long double size) {
    using limits = std::numeric_limits<T>;
    const auto near = static_cast<T>(want);
    if (std::isnan(near)) return std::isnan(got);
    if (std::isinf(near))  // one that is just beyond the range may be just inside
        return std::signbit(got) == std::signbit(near) &&
               std::abs(got) >= limits::max() * (1 - 8 * limits::epsilon());
    const long double slack = 16 * limits::epsilon() * size + 4 * limits::denorm_min();
    return std::abs(static_cast<long double>(got) - want) <= slack;
}
template <class T>
bool agrees(std::complex<T> got, wide want) {
    const bool finite = std::isfinite(want.real()) && std::isfinite(want.imag());
    // A number with an infinite part is infinite, whatever the other one is; in which quadrant it
    // lies depends on parts that are rounded away.
    const auto infinite = [](auto x) { return std::isinf(x.real()) || std::isinf(x.imag()); };
    if (infinite(std::complex<T>(want)) && infinite(got)) return true;
    const long double size = finite ? std::abs(want) : 4;  // an angle, beside infinity
    return agrees(got.real(), want.real(), size) && agrees(got.imag(), want.imag(), size);
}

template <class T>
std::vector<std::complex<T>> edges() {
    using limits = std::numeric_limits<T>;
    const T parts[] = {0,
                       -T(0),
                       1,
                       -2,
                       T(3.5),
                       limits::infinity(),
                       -limits::infinity(),
                       limits::quiet_NaN(),
                       limits::max(),
                       -limits::max() / 2,
                       limits::min(),
                       -limits::denorm_min(),
                       T(1e10),
                       T(-1e-10)};
    std::vector<std::complex<T>> all;
    for (const T re : parts)
        for (const T im : parts) all.emplace_back(re, im);
    return all;
}
template <class T>
array of(element type, const std::vector<std::complex<T>>& values) {
    array a(type, {values.size()});
    for (std::size_t k = 0; k < values.size(); ++k)
        static_cast<std::complex<T>*>(a.data())[k] = values[k];
    return a;
}

template <class T>
void check_all(element type) {
    const auto all = edges<T>();
    const array z = of(type, all);
    const auto check = [&](const char* equation, auto meaning) {
        const array y = run(text(equation), {{"z", z}})["y"];
        for (std::size_t k = 0; k < all.size(); ++k) {
            const auto got = static_cast<const std::complex<T>*>(y.data())[k];
            const wide want = meaning(wide(all[k]));
            if (agrees(got, want)) continue;
            INFO(equation << " of " << all[k] << " is " << got << ", expected " << want);
            CHECK(false);
        }
    };
    check("y^i = \\sqrt{z^i}", [](wide x) { return std::sqrt(x); });
    check("y^i = |z^i|", [](wide x) { return wide(std::abs(x)); });
    check("y^i = \\log z^i", [](wide x) { return std::log(x); });
    // in which quadrant exp(infinity + i infinity) lies is nobody's guess
    check("y^i = \\exp z^i", [](wide x) {
        const bool nowhere = x.real() > 0 && std::isinf(x.real()) && !std::isfinite(x.imag());
        return nowhere ? wide(NAN, NAN) : std::exp(x);
    });
    check("y^i = \\frac{1}{z^i}", [](wide x) { return wide(1) / x; });
    const array y = run(text("y^{ij} = \\frac{z^i}{w^j}"), {{"z", z}, {"w", z.clone()}})["y"];
    int wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const auto got = static_cast<const std::complex<T>*>(y.data())[i * all.size() + j];
            const wide want = wide(all[i]) / wide(all[j]);
            if (agrees(got, want)) continue;
            INFO(all[i] << " / " << all[j] << " is " << got << ", expected " << want);
            if (++wrong < 10) CHECK(false);
        }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("complex functions at their edges", "[complex]") {
    check_all<double>(element::c128);
    check_all<float>(element::c64);
}

TEST_CASE("a norm of complex tensors is refused, as it is a root of squares", "[complex]") {
    const array z = of<double>(element::c128, {{3, 4}, {0, 1}});
    const auto value = [&](const char* text) {
        const arrays r = run(parse(text).value(), {{"z", z}});
        return *static_cast<const std::complex<double>*>(r["y"].data());
    };
    for (const char* text : {"y = \\lVert z^i \\rVert", "y = \\lVert z^i \\rVert^2",
                             "y = 2 + \\lVert 2 z^i \\rVert_2"})
        CHECK_THROWS_WITH(value(text), ricci::testing::Contains("\\sqrt{\\sum_i |z^i|^2}"));
    // that of a square reads nothing of the norm, and a slope of z^2 would be computed
    const program p = parse("w^i = 2 z^i; y = \\lVert w^i \\rVert^2").value();
    const auto words = ricci::testing::Contains("w stands in a norm");
    CHECK_THROWS_WITH(run(gradient(p, "y", {"z"}), {{"z", z}, {"dL/dy", 1.0}}), words);
    CHECK_THROWS_WITH(run(tangent(p, {"z"}), {{"z", z}, {"d/dt z", z}}), words);
    CHECK(value("y = \\sqrt{\\sum_i |z^i|^2}").real() == Approx(std::sqrt(26.0)));
    CHECK(value("y = \\lVert |z^i| \\rVert").real() == Approx(std::sqrt(26.0)));
    CHECK(value("y = \\lVert z^i \\rVert_1").real() == Approx(6.0));
}

TEST_CASE("gradients of complex tensors on a ring", "[complex]") {
    using number = std::complex<double>;
    constexpr std::size_t n = 5;
    std::vector<number> x, y, s;
    for (std::size_t k = 0; k < n; ++k) {
        const auto t = static_cast<double>(k);
        x.emplace_back(std::sin(1 + t), std::cos(2 * t));
        y.emplace_back(t - 2, std::sin(3 * t));
        s.emplace_back(1 / (1 + t), t);
    }
    const array of_x = of<double>(element::c128, x), of_y = of<double>(element::c128, y),
                of_s = of<double>(element::c128, s);
    const auto slopes = [&](const char* text, std::vector<named> operands) {
        operands.push_back({"x", of_x});
        operands.push_back({"y", of_y});
        operands.push_back({"dL/dr", of_s});
        return run(gradient(parse(text).value(), "r", {"x", "y"}), operands);
    };
    const auto check = [&](const array& got, std::size_t at, number want) {
        CHECK(std::abs(static_cast<const number*>(got.data())[at] - want) < 1e-12);
    };
    // the loss changes by the real part of g dz
    const arrays correlation =
        slopes("r^k = \\sum_i x^i \\operatorname{conj}(y^{\\operatorname{wrap}(i+k)})",
               {{"k", extent(n)}});
    const arrays neighbours =
        slopes("r^i = x^i (y^{\\operatorname{wrap}(i+1)} + y^{\\operatorname{wrap}(i-1)})", {});
    for (std::size_t i = 0; i < n; ++i) {
        number by_x, by_y;
        for (std::size_t k = 0; k < n; ++k) {
            by_x += s[k] * std::conj(y[(i + k) % n]);
            by_y += std::conj(s[k] * x[(i + n - k) % n]);
        }
        check(correlation["dL/dx"], i, by_x);
        check(correlation["dL/dy"], i, by_y);
        const std::size_t before = (i + n - 1) % n, behind = (i + 1) % n;
        check(neighbours["dL/dx"], i, s[i] * (y[before] + y[behind]));
        check(neighbours["dL/dy"], i, s[before] * x[before] + s[behind] * x[behind]);
    }
}
