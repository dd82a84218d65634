// Functions of the numbers in which claims are tried, by series, to about twelve digits.
#pragma once

#include <cstdint>

#include <ricci/derive/number.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::derive {

// Templates: files that judge nothing build nothing of them.
namespace series {

inline constexpr double ln2 = 0.693147180559945309417;
inline constexpr double pi = 3.14159265358979323846;

/// Of a number that is not negative.
constexpr double sqrt(auto x) {
    if (x == 0 || x != x || x == __builtin_inf()) return x;
    double y = x < 1 ? 1 : x;
    for (double next = (y + x / y) / 2; next < y; next = (y + x / y) / 2) y = next;
    return y;
}
constexpr double exp(auto x) {
    if (x > 700) return __builtin_inf();
    if (x < -700) return 0;
    const auto n = static_cast<int>(x / ln2 + (x < 0 ? -0.5 : 0.5));
    const double r = x - n * ln2;
    double sum = 1;
    for (int k = 14; k > 0; --k) sum = 1 + sum * r / k;
    double two = n < 0 ? 0.5 : 2;
    for (int e = n < 0 ? -n : n; e > 0; e /= 2, two *= two)
        if (e % 2 == 1) sum *= two;
    return sum;
}
/// For positive numbers.
constexpr double log(auto x) {
    if (x == __builtin_inf()) return x;
    int n = 0;
    for (; x > 1.42; x /= 2) ++n;
    for (; x < 0.71; x *= 2) --n;
    const double s = (x - 1) / (x + 1), square = s * s;
    double sum = 0;
    for (int k = 19; k > 0; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum + n * ln2;
}
/// sin(x + quarters * pi / 2) for an x that is not far from 0
constexpr double sin(auto x, int quarters) {
    const auto n = static_cast<std::int64_t>(x / (pi / 2) + (x < 0 ? -0.5 : 0.5));
    const double r = x - static_cast<double>(n) * (pi / 2), square = -r * r;
    const int turn = static_cast<int>(((n + quarters) % 4 + 4) % 4);
    double sum = 1;
    for (int k = turn % 2 == 0 ? 17 : 16; k > 1; k -= 2) sum = 1 + sum * square / (k * (k - 1));
    return (turn % 2 == 0 ? r * sum : sum) * (turn >= 2 ? -1 : 1);
}
constexpr double arctan(auto x) {
    if (magnitude(x) > 1e8) return x > 0 ? pi / 2 : -pi / 2;
    for (int k = 0; k < 3; ++k) x /= 1 + sqrt(1 + x * x);  // the tangent of half the angle
    double sum = 0;
    for (int k = 19; k > 0; k -= 2) sum = 1.0 / k - sum * x * x;
    return 8 * x * sum;
}
constexpr double erf(auto x) {
    if (magnitude(x) > 6) return x > 0 ? 1 : -1;
    double term = x, sum = x;
    for (int k = 1; magnitude(term) > 1e-17 * magnitude(sum); ++k)
        term *= 2 * x * x / (2 * k + 1), sum += term;
    return sum * exp(-x * x) * 1.12837916709551257390;
}

}  // namespace series

/// Beyond it sines lose their digits.
inline constexpr double far = 1e6;

template <class Number>
constexpr Number exponential(const Number& x) {
    if (x.is_zero()) return Number::whole(1);
    if (!x.is_known || (!x.is_real() && !(x.size() < far))) return Number::unknown();
    const double size = series::exp(x.re);
    const bool plain = size < 1e300 && size > 0;
    const double error = plain ? size * (2 * x.error + 1e-14 * (1 + magnitude(x.re))) : 0;
    if (x.is_real()) return Number::near(size, error);
    return Number::near(size * series::sin(x.im, 1), error, size * series::sin(x.im, 0));
}
template <class Number>
constexpr Number logarithm(const Number& x) {
    if (sign_of(x) != 1)
        return sign_of(x) == 0 ? Number::near(-__builtin_inf(), 0) : Number::unknown();
    if (x.is_exact && x.exact == residue{1, 0} && x.re == 1) return Number::whole(0);
    const double value = series::log(x.re);
    return Number::near(value, 2 * x.error / x.re + 1e-14 * (1 + magnitude(value)));
}
template <class Number>
constexpr Number root(const Number& x) {
    const int sign = sign_of(x);
    if (sign != 1 || x.is_infinite()) return sign == 2 || sign < 0 ? Number::unknown() : x;
    if (x.is_beyond()) return Number::unknown();
    const double value = series::sqrt(x.re);
    // the root of a square of whole numbers, or of halves, is exact
    const Number halves = written(value);
    if (x.is_exact && halves.is_exact && (halves * halves).exact == x.exact) return halves;
    return Number::near(value, x.error / value + 1e-15 * value);
}
template <class Number>
constexpr Number power(const Number& x, const Number& exponent) {
    if (exponent.is_whole()) return whole_power(x, static_cast<std::int64_t>(exponent.re));
    if (exponent.is_exact && exponent.re == 0.5) return root(x);
    if (exponent.is_exact && exponent.re == -0.5) return inverse(root(x));
    if (sign_of(x) == 0 && sign_of(exponent) == 1) return x;
    return exponential(exponent * logarithm(x));
}
/// f(x) for a function whose slope nowhere exceeds `steepest`.
template <class Number>
constexpr Number gentle(const Number& x, double value, double steepest) {
    return Number::near(value, steepest * x.error + 1e-13 * (1 + magnitude(x.re)));
}
template <class Number>
constexpr Number sigmoid(const Number& x) {
    return inverse(Number::whole(1) + exponential(-x));
}
/// The nearest whole number below.
template <class Number>
constexpr Number floor_of(const Number& x) {
    if (!x.is_real() || !(magnitude(x.re) < 1e15)) return Number::unknown();
    if (x.is_whole()) return x;
    auto below = static_cast<std::int64_t>(x.re);
    if (static_cast<double>(below) > x.re) --below;
    const double over = x.re - static_cast<double>(below);
    if (over > x.error && 1 - over > x.error) return Number::whole(below);
    // on the edge: an exact number may be the whole one itself
    const std::int64_t near = over > 0.5 ? below + 1 : below;
    return x.is_exact && x.exact == residue::of(near) ? Number::whole(near) : Number::unknown();
}
template <class Number>
constexpr Number extremum_of(const Number& x, const Number& y, bool larger) {
    if (!x.is_known || !y.is_known || !x.is_real() || !y.is_real()) return Number::unknown();
    if (x.is_infinite() || y.is_infinite()) return (x.re > y.re) == larger ? x : y;
    const int sign = sign_of(x - y);
    if (sign == 0) return x;
    const bool first = larger ? x.re > y.re : x.re < y.re;
    if (sign != 2) return first ? x : y;
    return Number::near(first ? x.re : y.re, x.error + y.error + magnitude(x.re - y.re));
}

template <class Number>
constexpr Number conjugate(const Number& x) {
    Number out = x;
    out.im = -x.im;
    out.exact.im = (residue::prime - x.exact.im) % residue::prime;
    return out;
}
template <class Number>
constexpr Number real_part(const Number& x) {
    Number out = x;
    out.im = 0;
    out.exact.im = 0;
    return out;
}
template <class Number>
constexpr Number imaginary_part(const Number& x) {
    Number out = x;
    out.re = x.im;
    out.im = 0;
    out.exact = {x.exact.im, 0};
    return out;
}
/// Of a finite number that is not real.
template <class Number>
constexpr Number modulus(const Number& x) {
    Number square =
        Number::near(x.re * x.re + x.im * x.im, 4 * x.size() * (x.error + 1e-15 * x.size()));
    square.is_exact = x.is_exact;
    square.exact = x.exact * conjugate(x).exact;
    return root(square);
}

/// A function of a real number that is computed by its series.
template <class Number>
constexpr Number smooth_value_of(ir::function f, const Number& x) {
    using ir::function;
    const auto zero = Number::whole(0), one = Number::whole(1);
    const bool at_zero = sign_of(x) == 0, is_far = !(x.size() < far);
    const auto sine = [&](int quarters) { return gentle(x, series::sin(x.re, quarters), 1); };
    switch (f) {
        case function::log:
            return logarithm(x);
        case function::sqrt:
            return root(x);
        case function::sin:
            if (is_far) return Number::unknown();
            return at_zero ? zero : sine(0);
        case function::cos:
            if (is_far) return Number::unknown();
            return at_zero ? one : sine(1);
        case function::tan:
            if (is_far) return Number::unknown();
            return at_zero ? zero : sine(0) / sine(1);
        case function::tanh:
            if (is_far) return Number::unknown();
            return at_zero ? zero : gentle(x, 1 - 2 / (series::exp(2 * x.re) + 1), 1);
        case function::arctan:
            return at_zero ? zero : gentle(x, series::arctan(x.re), 1);
        case function::sinh:
            return at_zero ? zero : (exponential(x) - exponential(-x)) / Number::whole(2);
        case function::cosh:
            return at_zero ? one : (exponential(x) + exponential(-x)) / Number::whole(2);
        case function::softplus:
            return logarithm(one + exponential(x));
        case function::sigmoid:
            return sigmoid(x);
        case function::silu:
            return x * sigmoid(x);
        case function::gelu:
            if (is_far) return Number::unknown();
            return x * Number::near(0.5, 0) *
                   (one + gentle(x, series::erf(x.re * 0.70710678118654752440), 1));
        case function::erf:
            if (is_far) return Number::whole(sign_of(x));
            return at_zero ? zero : gentle(x, series::erf(x.re), 1.2);
        default:
            return Number::unknown();
    }
}
/// A function of real numbers that asks for signs; every other one by its series.
template <class Number>
constexpr Number real_value_of(ir::function f, const Number& x, const Number& y) {
    using ir::function;
    const auto zero = Number::whole(0);
    const int sign = sign_of(x);
    switch (f) {
        case function::absolute:
            if (sign == 2) return gentle(x, magnitude(x.re), 1);
            return sign < 0 ? -x : x;
        case function::relu:
            if (sign == 2) return gentle(x, x.re > 0 ? x.re : 0, 1);
            return sign < 0 ? zero : x;
        case function::elu:
            if (sign == 2) return Number::unknown();
            return sign >= 0 ? x : exponential(x) - Number::whole(1);
        case function::sign:
            return sign == 2 ? Number::unknown() : Number::whole(sign);
        case function::logical_not:
            return sign == 2 ? Number::unknown() : Number::whole(sign == 0 ? 1 : 0);
        case function::floor:
            return floor_of(x);
        case function::ceil:
            return -floor_of(-x);
        case function::maximum:
            return extremum_of(x, y, true);
        case function::minimum:
            return extremum_of(x, y, false);
        case function::modulo:
            return x - y * floor_of(x / y);
        default:
            return smooth_value_of(f, x);
    }
}
/// The function of one or two numbers; unknown where it is not defined.
template <class Number>
constexpr Number value_of(ir::function f, const Number& x, const Number& y) {
    using ir::function;
    if (!x.is_known || !y.is_known) return Number::unknown();
    if (f == function::exp) return exponential(x);
    if (f == function::conjugate) return conjugate(x);
    if (f == function::real) return real_part(x);
    if (f == function::imaginary) return imaginary_part(x);
    if (f == function::absolute && !x.is_real() && !x.is_infinite()) return modulus(x);
    return x.is_real() && y.is_real() ? real_value_of(f, x, y) : Number::unknown();
}

}  // namespace ricci::derive
