// The numbers in which claims are tried: exact in a prime field as long as only sums, products,
// quotients and whole powers made them, and beside that a double, with a bound on its error.
#pragma once

#include <cstdint>

namespace ricci::derive {

/// Residues modulo 2^31 - 1. -1 has no square root there, so that a + b i is a field too.
struct residue {
    static constexpr std::uint64_t prime = 2147483647;
    std::uint64_t re;
    std::uint64_t im;

    constexpr bool is_zero() const { return re == 0 && im == 0; }
    friend constexpr bool operator==(const residue& x, const residue& y) {
        return x.re == y.re && x.im == y.im;
    }
    friend constexpr residue operator+(const residue& x, const residue& y) {
        return {(x.re + y.re) % prime, (x.im + y.im) % prime};
    }
    friend constexpr residue operator*(const residue& x, const residue& y) {
        return {(x.re * y.re % prime + (prime - x.im) * y.im % prime) % prime,
                (x.re * y.im % prime + x.im * y.re % prime) % prime};
    }
    static constexpr residue of(std::int64_t n) {
        const std::int64_t p = static_cast<std::int64_t>(prime);
        return {static_cast<std::uint64_t>((n % p + p) % p), 0};
    }
    /// 1 / x for an x that is not 0.
    constexpr residue inverse() const {
        std::uint64_t power = (re * re + im * im) % prime, norm = 1;
        for (std::uint64_t e = prime - 2; e > 0; e /= 2, power = power * power % prime)
            if (e % 2 == 1) norm = norm * power % prime;
        return residue{re, (prime - im) % prime} * residue{norm, 0};
    }
};

constexpr double magnitude(double x) { return x < 0 ? -x : x; }

/// A real or complex number. One that is not known (0/0, a comparison too close to call, a function
/// outside of its domain) is `unknown()`, and so is all that is made from it.
struct number {
    double re;
    double im;
    double error;  // the value lies at most this far from re + i im
    residue exact;
    bool is_exact;  // otherwise `exact` means nothing
    bool is_known;

    static constexpr number whole(std::int64_t n) {
        return {static_cast<double>(n), 0, 0, residue::of(n), true, true};
    }
    static constexpr number imaginary_unit() { return {0, 1, 0, {0, 1}, true, true}; }
    static constexpr number near(double re, double error, double im = 0) {
        return {re, im, error, {}, false, true};
    }
    // no NaN, which compilers refuse to compute with in constants
    static constexpr number unknown() { return {0, 0, 0, {}, false, false}; }

    constexpr bool is_infinite() const { return size() == __builtin_inf(); }
    constexpr bool is_finite() const {
        return is_known && !is_infinite() && error < __builtin_inf();
    }
    constexpr bool is_real() const { return im == 0; }
    constexpr double size() const { return magnitude(re) + magnitude(im); }
    constexpr bool is_zero() const { return is_exact && exact.is_zero(); }
    /// A whole number, as a position has to be.
    constexpr bool is_whole() const {
        return is_known && is_real() && re > -1e15 && re < 1e15 &&
               static_cast<double>(static_cast<std::int64_t>(re)) == re && (is_exact || error == 0);
    }
};

inline constexpr double rounding = 4e-16;

constexpr number rounded(double re, double im, double error, const residue& exact, bool is_exact) {
    const double size = magnitude(re) + magnitude(im);
    return {re, im, size < __builtin_inf() ? error + rounding * size : 0, exact, is_exact, true};
}
constexpr number operator+(const number& x, const number& y) {
    if (!x.is_known || !y.is_known) return number::unknown();
    if (x.is_infinite() || y.is_infinite()) {
        const bool opposite = x.is_infinite() && y.is_infinite() && (x.re != y.re || x.im != y.im);
        return opposite ? number::unknown() : x.is_infinite() ? x : y;
    }
    return rounded(x.re + y.re, x.im + y.im, x.error + y.error, x.exact + y.exact,
                   x.is_exact && y.is_exact);
}
constexpr number operator*(const number& x, const number& y) {
    if (!x.is_known || !y.is_known) return number::unknown();
    if (x.is_infinite() || y.is_infinite()) {
        const bool sign =
            x.is_real() && y.is_real() && magnitude(x.re) > x.error && magnitude(y.re) > y.error;
        return sign ? number::near(x.re * y.re, 0) : number::unknown();
    }
    return rounded(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re,
                   x.size() * y.error + y.size() * x.error + x.error * y.error, x.exact * y.exact,
                   x.is_exact && y.is_exact);
}
constexpr number operator-(const number& x) { return x * number::whole(-1); }
constexpr number operator-(const number& x, const number& y) { return x + -y; }

constexpr number inverse(const number& x) {
    if (!x.is_known || x.is_zero() || !(x.size() > 2 * x.error)) return number::unknown();
    if (x.is_infinite()) return number::near(0, 0);
    const double norm = x.re * x.re + x.im * x.im;
    if (!(norm > 0)) return number::unknown();  // too small for a double
    const bool exact = x.is_exact && !x.exact.is_zero();
    return rounded(x.re / norm, -x.im / norm, 4 * x.error / norm,
                   exact ? x.exact.inverse() : residue{}, exact);
}
constexpr number operator/(const number& x, const number& y) { return x * inverse(y); }

/// x^n for a whole n.
constexpr number whole_power(const number& x, std::int64_t n) {
    if (n < -512 || n > 512) return number::unknown();
    number power = n < 0 ? inverse(x) : x, value = number::whole(1);
    for (std::int64_t e = n < 0 ? -n : n; e > 0; e /= 2) {
        if (e % 2 == 1) value = value * power;
        if (e > 1) power = power * power;
    }
    return value;
}

/// Below zero, above it, or equal to it: -1, 1, 0; 2 where the error leaves that open.
constexpr int sign_of(const number& x) {
    if (!x.is_known || !x.is_real()) return 2;
    if (x.is_zero()) return 0;
    if (x.re > x.error) return 1;
    return x.re < -x.error ? -1 : 2;
}

/// Whether two numbers are certainly different: exactly, or by far more than their errors.
constexpr bool differ(const number& x, const number& y) {
    if (!x.is_finite() || !y.is_finite()) return false;
    if (x.is_exact && y.is_exact) return !(x.exact == y.exact);
    const double difference = magnitude(x.re - y.re) + magnitude(x.im - y.im);
    return difference > 1e-7 * (x.size() + y.size()) &&
           difference > 1e3 * (x.error + y.error) + 1e-9;
}

/// The number that a text writes in decimals; exact if it is short enough to be meant so.
constexpr number written(double value) {
    if (value != value) return number::unknown();
    if (value > 1e15 || value < -1e15) return number::near(value, 0);
    std::int64_t scale = 1;
    for (int k = 0; k <= 14; ++k, scale *= 10) {
        const double scaled = value * static_cast<double>(scale);
        if (magnitude(scaled) > 1e15) break;
        const auto near = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
        if (static_cast<double>(near) / static_cast<double>(scale) != value) continue;
        number out = number::whole(near);
        if (scale == 1) return out;
        out.exact = out.exact * residue::of(scale).inverse();
        out.re = value;
        out.error = rounding * magnitude(value);
        return out;
    }
    return number::near(value, 1e-15 * magnitude(value));
}

}  // namespace ricci::derive
