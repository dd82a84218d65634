// Long whole numbers and quotients, against identities and known digits.
#include "judge/rational.hpp"

#include <cmath>
#include <random>

#include "tests/catch.hpp"
#include "tests/few.hpp"

#include "judge/measured.hpp"

using namespace ricci::judge;

namespace {

integer random_integer(std::mt19937_64& draw, int digits) {
    std::string text;
    for (int k = 0; k < digits; ++k) text += static_cast<char>('0' + draw() % 10);
    const integer size = integer::of_digits(text);
    return draw() % 2 == 0 ? size : -size;
}

}  // namespace

TEST_CASE("a quotient times its divisor and the rest is the dividend") {
    std::mt19937_64 draw(1);
    for (int k = 0; k < 200; ++k) {
        const integer a = random_integer(draw, 1 + static_cast<int>(draw() % 60)),
                      b = random_integer(draw, 1 + static_cast<int>(draw() % 40));
        if (b.is_zero()) continue;
        integer rest;
        const integer quotient = integer::divide(a, b, rest);
        CHECK(quotient * b + rest == a);
        CHECK(rest.abs() < b.abs());
        CHECK((rest.is_zero() || rest.sign() == a.sign()));
        CHECK((a + b) * (a - b) == a * a - b * b);
        const integer root = root_of(a.abs());
        CHECK(!(a.abs() < root * root));
        CHECK(a.abs() < (root + integer(1)) * (root + integer(1)));
    }
}

TEST_CASE("quotients are exact, and doubles go there and back") {
    const rational third(integer(1), integer(3));
    CHECK(third + third + third == rational(1));
    CHECK(rational(integer(6), integer(-4)) == rational(integer(-3), integer(2)));
    std::mt19937_64 draw(2);
    for (int k = 0; k < 100; ++k) {
        const double x =
            std::ldexp(static_cast<double>(draw()) - 9e18, static_cast<int>(draw() % 400) - 200);
        CHECK(rational::of_double(x).to_double() == x);
        const rational exact = rational::of_double(x) * third;
        CHECK((exact.shortened(100) - exact).abs() <=
              exact.abs() * rational(integer(1), integer(1).shifted(90)));
    }
    CHECK(third.to_double() == 1.0 / 3);
    const integer large = integer::power_of_ten(400);
    CHECK(std::isinf(rational(large, integer(1)).to_double()));
    CHECK(rational(large + integer(1), large).to_double() == 1);
}

TEST_CASE("intervals hold what their ends give") {
    std::mt19937_64 draw(3);
    std::uniform_real_distribution<double> values(-3, 3), halves(0, 0.2);
    const auto holds = [](const measured& m, double x) {
        return (rational::of_double(x) - m.value).abs() <= m.half + rational::of_double(1e-12);
    };
    for (int k = 0; k < ricci::testing::few_or(15, 60); ++k) {
        const measured x{rational::of_double(values(draw)), rational::of_double(halves(draw))},
            y{rational::of_double(values(draw)), rational::of_double(halves(draw))};
        for (const double s : {-1.0, -0.3, 0.5, 1.0})
            for (const double t : {-1.0, 0.2, 1.0}) {
                const double a = x.value.to_double() + s * x.half.to_double(),
                             b = y.value.to_double() + t * y.half.to_double();
                CHECK(holds(x + y, a + b));
                CHECK(holds(x * y, a * b));
                if (const auto over = inverse(y)) CHECK(holds(x * *over, a / b));
                CHECK(holds(*power(x, 3), a * a * a));
                for (const auto& [f, value] : {std::pair{real_function::exp, std::exp(a)},
                                               {real_function::sin, std::sin(a)},
                                               {real_function::cos, std::cos(a)},
                                               {real_function::cosh, std::cosh(a)},
                                               {real_function::absolute, std::abs(a)},
                                               {real_function::tanh, std::tanh(a)}})
                    CHECK(holds(*apply(f, x), value));
            }
    }
    CHECK(!inverse(measured{rational(1), rational(1)}));
    CHECK(!apply(real_function::log, exactly(-1)));
    CHECK(apply(real_function::sqrt, exactly(16))->value == rational(4));
}
