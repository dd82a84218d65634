// Intervals through operations and functions.
#include "judge/measured.hpp"

#include <algorithm>
#include <cmath>

namespace ricci::judge {
namespace {

constexpr int most_bits = 4000;
constexpr int kept_bits = 200;

/// A number that has grown long, short again and good to a little less.
measured short_enough(measured x) {
    if (x.value.bits() > most_bits) {
        const rational near = x.value.shortened(kept_bits);
        x.half = x.half + (x.value - near).abs();
        x.value = near;
    }
    if (x.half.bits() > kept_bits && !x.half.is_zero()) {  // upwards
        const rational near = x.half.shortened(kept_bits / 2);
        x.half = near + near * rational(integer(1), integer(1).shifted(kept_bits / 4));
    }
    return x;
}

double value_at(real_function f, double x) {
    switch (f) {
        case real_function::exp:
            return std::exp(x);
        case real_function::log:
            return std::log(x);
        case real_function::sqrt:
            return std::sqrt(x);
        case real_function::sin:
            return std::sin(x);
        case real_function::cos:
            return std::cos(x);
        case real_function::tan:
            return std::tan(x);
        case real_function::sinh:
            return std::sinh(x);
        case real_function::cosh:
            return std::cosh(x);
        case real_function::tanh:
            return std::tanh(x);
        case real_function::arctan:
            return std::atan(x);
        case real_function::sigmoid:
            return 1 / (1 + std::exp(-x));
        case real_function::erf:
            return std::erf(x);
        default:
            return x;
    }
}

/// Whether a function that has extrema may have one in an interval.
bool turns(real_function f, double low, double high) {
    constexpr double half_turn = 3.14159265358979323846;
    if (f == real_function::cosh) return low < 0 && high > 0;
    if (f == real_function::sin || f == real_function::tan)  // for tan: a pole
        return std::floor(low / half_turn + 0.5) != std::floor(high / half_turn + 0.5);
    if (f == real_function::cos) return std::floor(low / half_turn) != std::floor(high / half_turn);
    return false;
}

}  // namespace

measured exactly(const rational& value) { return {value, {}}; }

measured operator+(const measured& x, const measured& y) {
    return short_enough({x.value + y.value, x.half + y.half});
}
measured operator-(const measured& x) { return {-x.value, x.half}; }
measured operator*(const measured& x, const measured& y) {
    return short_enough(
        {x.value * y.value, x.value.abs() * y.half + y.value.abs() * x.half + x.half * y.half});
}

std::optional<measured> inverse(const measured& x) {
    if (x.value.abs() <= x.half) return std::nullopt;
    // the end that is nearer to 0 is further away, once inverted
    const rational near = x.value.abs() - x.half;
    return short_enough({rational(1) / x.value, x.half / (x.value.abs() * near)});
}

std::optional<measured> power(const measured& x, int n) {
    if (n < 0) {
        const std::optional<measured> over = inverse(x);
        return over ? power(*over, -n) : over;
    }
    if (n > 10000 || static_cast<long>(x.value.bits()) * n > 40000) return std::nullopt;
    measured out = exactly(1), base = x;
    for (int e = n; e > 0; e /= 2) {
        if (e % 2 == 1) out = out * base;
        if (e > 1) base = base * base;
    }
    return out;
}

std::optional<measured> power(const measured& x, const measured& y) {
    if (y.value.is_whole() && y.half.is_zero() && y.value.abs() < rational(10000))
        return power(x, static_cast<int>(y.value.to_double()));
    if (y.half.is_zero() && y.value == rational(integer(1), integer(2)))
        return apply(real_function::sqrt, x);
    const std::optional<measured> logarithm = apply(real_function::log, x);
    return logarithm ? apply(real_function::exp, *logarithm * y) : std::nullopt;
}

std::optional<measured> apply(real_function f, const measured& x) {
    if (f == real_function::absolute || f == real_function::relu) {
        if (x.value.abs() < x.half) {  // 0 is among them
            const rational high = x.value + x.half,
                           far = f == real_function::relu ? high : x.value.abs() + x.half;
            const rational middle = far / rational(2);
            return measured{middle, middle};
        }
        if (x.value.sign() >= 0) return x;
        return f == real_function::absolute ? -x : exactly(0);
    }
    if (f == real_function::floor || f == real_function::ceil) {
        const auto below = [&](const rational& r) {
            integer rest;
            const integer whole = integer::divide(r.above(), r.below(), rest);
            const int toward = f == real_function::floor ? -1 : 1;
            return rest.sign() == toward ? whole + integer(toward) : whole;
        };
        const integer low = below(x.value - x.half), high = below(x.value + x.half);
        if (!(low == high)) return std::nullopt;
        return exactly(rational(low, integer(1)));
    }
    if (f == real_function::sqrt && x.value.sign() >= 0 && x.half.is_zero()) {
        const integer above = root_of(x.value.above()), below = root_of(x.value.below());
        if (above * above == x.value.above() && below * below == x.value.below())
            return measured{rational(above, below), {}};
    }
    if (x.value.is_zero() && x.half.is_zero()) {
        if (f == real_function::exp || f == real_function::cos || f == real_function::cosh)
            return exactly(1);
        if (f != real_function::log && f != real_function::sigmoid) return exactly(0);
    }
    if (f == real_function::log && x.value == rational(1) && x.half.is_zero()) return exactly(0);
    const double middle = x.value.to_double(), low = (x.value - x.half).to_double(),
                 high = (x.value + x.half).to_double();
    const bool positive = f == real_function::log || f == real_function::sqrt;
    if (!std::isfinite(middle) || !std::isfinite(low) || !std::isfinite(high) ||
        (positive && !(low > 0)) || std::abs(middle) > 1e8)
        return std::nullopt;
    const double y = value_at(f, middle), first = value_at(f, low), last = value_at(f, high);
    if (!std::isfinite(y) || !std::isfinite(first) || !std::isfinite(last)) return std::nullopt;
    double off = std::max(std::abs(first - y), std::abs(last - y));
    if (turns(f, low, high)) {
        if (f == real_function::tan) return std::nullopt;
        off = f == real_function::cosh ? std::max(off, std::abs(y - 1))
                                       : std::max(off, std::min(2.0, high - low));
    }
    // what the argument lost on its way to a double, and the function's own last digits
    const double slope = std::max(1.0, f == real_function::tan ? y * y : std::abs(y));
    const double last_digits = 4e-16 * (std::abs(y) + std::abs(middle) * slope);
    return measured{rational::of_double(y), rational::of_double(off + last_digits)};
}

measured circle_number() {
    return {rational(integer::of_digits("3141592653589793238462643383279502884197"),
                     integer::power_of_ten(39)),
            rational(integer(1), integer::power_of_ten(39))};
}

}  // namespace ricci::judge
