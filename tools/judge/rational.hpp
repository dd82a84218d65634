// Quotients of whole numbers of any length: what printed numbers are compared in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ricci::judge {

/// A whole number of any length.
class integer {
public:
    integer() = default;
    integer(std::int64_t value);  // NOLINT: numbers are numbers
    static integer of_digits(std::string_view digits);
    static integer power_of_ten(int exponent);

    bool is_zero() const { return parts_.empty(); }
    int sign() const { return parts_.empty() ? 0 : negative_ ? -1 : 1; }
    int bits() const;  // of its magnitude
    integer abs() const;
    integer operator-() const;
    friend integer operator+(const integer& a, const integer& b);
    friend integer operator-(const integer& a, const integer& b) { return a + -b; }
    friend integer operator*(const integer& a, const integer& b);
    /// Towards zero; `rest` has the sign of `a`. b is not 0.
    static integer divide(const integer& a, const integer& b, integer& rest);
    friend bool operator==(const integer& a, const integer& b) {
        return a.negative_ == b.negative_ && a.parts_ == b.parts_;
    }
    friend bool operator<(const integer& a, const integer& b);
    /// The bits from number `shift` on, as they would stand in front of a point.
    integer shifted(int left) const;
    std::uint64_t low() const;  // the last 64 bits of its magnitude

private:
    static int compare_size(const integer& a, const integer& b);
    void trim();
    std::vector<std::uint32_t> parts_;  // of the magnitude, the least first
    bool negative_ = false;
};

integer divisor_of(integer a, integer b);  // the greatest common one, positive
integer root_of(const integer& a);         // of a square number at most as large as a

/// A quotient in lowest terms.
class rational {
public:
    rational() : below_(1) {}
    rational(std::int64_t value) : above_(value), below_(1) {}  // NOLINT
    rational(integer above, integer below);
    /// The exact value of a finite double.
    static rational of_double(double value);

    const integer& above() const { return above_; }
    const integer& below() const { return below_; }
    int sign() const { return above_.sign(); }
    bool is_zero() const { return above_.is_zero(); }
    bool is_whole() const { return below_ == integer(1); }
    rational abs() const { return sign() < 0 ? -*this : *this; }
    double to_double() const;
    /// How many bits it takes: what grows too long is given up.
    int bits() const { return above_.bits() + below_.bits(); }
    /// A quotient near it, with about this many bits; the difference is below size / 2^kept.
    rational shortened(int kept) const;

    rational operator-() const;
    friend rational operator+(const rational& a, const rational& b);
    friend rational operator-(const rational& a, const rational& b) { return a + -b; }
    friend rational operator*(const rational& a, const rational& b);
    friend rational operator/(const rational& a, const rational& b);  // b is not 0
    friend bool operator==(const rational& a, const rational& b) {
        return a.above_ == b.above_ && a.below_ == b.below_;
    }
    friend bool operator<(const rational& a, const rational& b);
    friend bool operator<=(const rational& a, const rational& b) { return !(b < a); }

private:
    integer above_, below_;
};

}  // namespace ricci::judge
