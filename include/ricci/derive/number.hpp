// The numbers in which claims are tried: exact in a prime field as long as only sums, products,
// quotients and whole powers made them, and beside that a double, with a bound on its error.
#pragma once

#include <cstdint>

#include <ricci/ir/literal.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::derive {

/// Residues modulo a prime p. -1 has no square root there, so that a + b i is a field too; (p - 1)
/// / 2 is a prime, so that no short power of a number is 1.
struct residue {
    static constexpr std::uint64_t prime = 2147471147;
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
    bool is_known;  // what is exact may lie beyond the doubles: its error is infinite then

    static constexpr number whole(std::int64_t n) {
        return {static_cast<double>(n), 0, 0, residue::of(n), true, true};
    }
    static constexpr number imaginary_unit() { return {0, 1, 0, {0, 1}, true, true}; }
    static constexpr number near(double re, double error, double im = 0) {
        return {re, im, error, {}, false, true};
    }
    // no NaN, which compilers refuse to compute with in constants
    static constexpr number unknown() { return {0, 0, 0, {}, false, false}; }

    /// An exact number of which no double is near.
    static constexpr number beyond(const residue& exact, bool is_exact) {
        return is_exact ? number{0, 0, __builtin_inf(), exact, true, true} : unknown();
    }
    constexpr bool is_beyond() const { return is_known && is_exact && error == __builtin_inf(); }
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
/// No double is made that is larger.
inline constexpr double large = 1e300;

constexpr number rounded(double re, double im, double error, const residue& exact, bool is_exact) {
    const double size = magnitude(re) + magnitude(im);
    return {re, im, error + rounding * size, exact, is_exact, true};
}
constexpr number operator+(const number& x, const number& y) {
    if (!x.is_known || !y.is_known) return number::unknown();
    if (x.is_infinite() || y.is_infinite()) {
        const bool opposite = x.is_infinite() && y.is_infinite() && (x.re != y.re || x.im != y.im);
        return opposite ? number::unknown() : x.is_infinite() ? x : y;
    }
    const bool exact = x.is_exact && y.is_exact;
    if (!(x.size() < large && y.size() < large) || x.is_beyond() || y.is_beyond())
        return number::beyond(x.exact + y.exact, exact);
    return rounded(x.re + y.re, x.im + y.im, x.error + y.error, x.exact + y.exact, exact);
}
constexpr number operator*(const number& x, const number& y) {
    if (!x.is_known || !y.is_known) return number::unknown();
    if (x.is_infinite() || y.is_infinite()) {
        const bool sign =
            x.is_real() && y.is_real() && magnitude(x.re) > x.error && magnitude(y.re) > y.error;
        return sign ? number::near(x.re * y.re, 0) : number::unknown();
    }
    const bool exact = x.is_exact && y.is_exact;
    const double most = x.size() > y.size() ? x.size() : y.size(),
                 least = x.size() > y.size() ? y.size() : x.size();
    if (x.is_beyond() || y.is_beyond() || !(most < large) || (most > 1 && least > large / most))
        return number::beyond(x.exact * y.exact, exact);
    return rounded(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re,
                   x.size() * y.error + y.size() * x.error + x.error * y.error, x.exact * y.exact,
                   exact);
}
constexpr number operator-(const number& x) { return x * number::whole(-1); }
constexpr number operator-(const number& x, const number& y) { return x + -y; }

constexpr number inverse(const number& x) {
    if (!x.is_known || x.is_zero()) return number::unknown();
    if (x.is_infinite()) return number::near(0, 0);
    const bool exact = x.is_exact && !x.exact.is_zero();
    if (!(x.size() > 2 * x.error) || x.size() < 1e-140 || x.size() > 1e140)
        return number::beyond(exact ? x.exact.inverse() : residue{}, exact);
    const double norm = x.re * x.re + x.im * x.im;
    return rounded(x.re / norm, -x.im / norm, 4 * x.error / norm,
                   exact ? x.exact.inverse() : residue{}, exact);
}
constexpr number operator/(const number& x, const number& y) { return x * inverse(y); }

/// x^n for a whole n.
constexpr number whole_power(const auto& x, std::int64_t n) {
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

/// Whether it can be said of two numbers that they are different.
constexpr bool comparable(const auto& x, const auto& y) {
    if (!x.is_known || !y.is_known) return false;
    return (x.is_exact && y.is_exact) || (x.is_finite() && y.is_finite());
}
/// Whether two numbers are certainly different: exactly, or by far more than their errors.
constexpr bool differ(const auto& x, const auto& y) {
    if (!comparable(x, y)) return false;
    if (x.is_exact && y.is_exact && !(x.exact == y.exact)) return true;
    if (!x.is_finite() || !y.is_finite()) return false;
    const double difference = magnitude(x.re - y.re) + magnitude(x.im - y.im);
    return difference > 1e-7 * (x.size() + y.size()) &&
           difference > 1e3 * (x.error + y.error) + 1e-9;
}

/// A double as the short decimal that it is, if it is one.
constexpr number written(auto value) {
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

/// The number that a text writes, exactly: all its digits count.
template <class Program>
constexpr number written(const Program& p, const ir::node& x) {
    const ir::range text = ir::digits_of(x);
    if (text.count == 0) {
        ir::quotient value = 0;
        std::int32_t tens = 0;
        if (ir::exact_value(p, x, value, tens)) return written(x.value);
        return number::near(x.value, x.value < __builtin_inf() && x.value > -__builtin_inf()
                                         ? rounding * magnitude(x.value)
                                         : 0);
    }
    residue whole = residue::of(0), scale = residue::of(1);
    bool fraction = false;
    for (std::int32_t k = 0; k < text.count; ++k) {
        const char c = p.text(text)[k];
        if (c == '.') {
            fraction = true;
            continue;
        }
        whole = whole * residue::of(10) + residue::of(c - '0');
        if (fraction) scale = scale * residue::of(10);
    }
    if (x.value < 0) whole = whole * residue::of(-1);
    const residue exact = whole * scale.inverse();
    if (!(magnitude(x.value) < large)) return number::beyond(exact, true);
    return {x.value, 0, rounding * magnitude(x.value), exact, true, true};
}

}  // namespace ricci::derive
