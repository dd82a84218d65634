// Numbers with an exponent of their own: exact where doubles are, and beyond their range.
#include <cmath>
#include <limits>

#include "src/base/scaled_number.hpp"
#include "tests/catch.hpp"

using ricci::scaled_number;

TEST_CASE("scaled numbers are what doubles are, within their range") {
    for (const double a : {0.0, 1.0, 3.0, 7.5, 1e9, 1e-9, 123456789.0})
        for (const double b : {1.0, 2.0, 3.0, 1e-12, 1e12}) {
            CHECK((scaled_number(a) * scaled_number(b)).value() == a * b);
            CHECK((scaled_number(a) / scaled_number(b)).value() == a / b);
            CHECK((scaled_number(a) + scaled_number(b)).value() == a + b);
            CHECK((scaled_number(a) < scaled_number(b)) == (a < b));
            CHECK((scaled_number(a) == scaled_number(b)) == (a == b));
        }
    CHECK(std::isinf(scaled_number().log2()));
    CHECK(scaled_number(1024.0).log2() == 10);
    CHECK(scaled_number(1000.0).log10() == Approx(3).epsilon(1e-15));
}

TEST_CASE("scaled numbers go on where doubles end") {
    scaled_number x(1.0);
    for (int k = 0; k < 5000; ++k) x = x * scaled_number(3.0);
    CHECK(x.log2() == Approx(5000 * std::log2(3.0)).epsilon(1e-13));
    CHECK(x.log10() == Approx(5000 * std::log10(3.0)).epsilon(1e-13));
    CHECK(x.value() == std::numeric_limits<double>::infinity());
    CHECK((x / x).value() == 1);
    CHECK((scaled_number(1.0) / x).value() == 0);
    CHECK(x + scaled_number(1e300) == x);
    CHECK((x + x) / x == scaled_number(2.0));
    CHECK(scaled_number(1e300) < x);
}
