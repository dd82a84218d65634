// Numbers from 0 of any size: a mantissa and an exponent of two of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace ricci {

/// Products of thousands of extents, which no double holds. Exact as doubles are: whole numbers
/// below 2^53 are what they are, and so are powers of two.
class scaled_number {
public:
    constexpr scaled_number() = default;
    /// Finite, and not negative.
    explicit scaled_number(double value) : mantissa_(value) { settle(); }

    friend scaled_number operator*(scaled_number a, const scaled_number& b) {
        a.mantissa_ *= b.mantissa_;
        a.exponent_ += b.exponent_;
        a.settle();
        return a;
    }
    /// b is not 0.
    friend scaled_number operator/(scaled_number a, const scaled_number& b) {
        a.mantissa_ /= b.mantissa_;
        a.exponent_ -= b.exponent_;
        a.settle();
        return a;
    }
    friend scaled_number operator+(const scaled_number& a, const scaled_number& b) {
        if (a < b) return b + a;
        if (b.mantissa_ == 0) return a;
        const std::int64_t apart = a.exponent_ - b.exponent_;
        constexpr std::int64_t nothing_left = 100;  // more than the digits of a mantissa
        if (apart > nothing_left) return a;
        scaled_number sum = a;
        sum.mantissa_ += std::ldexp(b.mantissa_, -static_cast<int>(apart));
        sum.settle();
        return sum;
    }
    friend bool operator<(const scaled_number& a, const scaled_number& b) {
        if (a.mantissa_ == 0 || b.mantissa_ == 0) return a.mantissa_ < b.mantissa_;
        if (a.exponent_ != b.exponent_) return a.exponent_ < b.exponent_;
        return a.mantissa_ < b.mantissa_;
    }
    friend bool operator==(const scaled_number&, const scaled_number&) = default;

    /// Minus infinity for 0.
    double log2() const { return std::log2(mantissa_) + static_cast<double>(exponent_); }
    double log10() const {
        constexpr double log10_of_2 = 0.30102999566398119521;
        return std::log10(mantissa_) + static_cast<double>(exponent_) * log10_of_2;
    }
    /// As a double: infinity where none is as large.
    double value() const {
        constexpr std::int64_t beyond = 2000;
        if (exponent_ > beyond) return std::numeric_limits<double>::infinity();
        return exponent_ < -beyond ? 0 : std::ldexp(mantissa_, static_cast<int>(exponent_));
    }

private:
    // The mantissa goes back to [0.5, 1); 0 has the exponent 0.
    void settle() {
        int change = 0;
        mantissa_ = std::frexp(mantissa_, &change);
        exponent_ = mantissa_ == 0 ? 0 : exponent_ + change;
    }

    double mantissa_ = 0;
    std::int64_t exponent_ = 0;
};

}  // namespace ricci
