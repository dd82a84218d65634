// The coefficient of a term in normal form: a quotient of whole numbers as long as it is one that
// fits, and a double where a root, or a number with many digits, has made it another.
#pragma once

#include <cstdint>

#include <ricci/ir/normal_number.hpp>

namespace ricci::ir {

class coefficient {
public:
    constexpr coefficient(double value) : value_(value) {
        // a short decimal is meant exactly: 0.1 is 1/10
        std::int64_t scale = 1;
        for (int k = 0; k <= 15; ++k, scale *= 10) {
            const double scaled = value * static_cast<double>(scale);
            if (!(scaled < 1e15 && scaled > -1e15)) return;
            const auto whole = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
            if (static_cast<double>(whole) / static_cast<double>(scale) != value) continue;
            set(whole, scale);
            return;
        }
    }
    constexpr double value() const { return value_; }
    constexpr bool is_exact() const { return below_ != 0; }
    constexpr std::int64_t above() const { return above_; }
    constexpr std::int64_t below() const { return below_; }
    constexpr bool is(double other) const { return value_ == other; }

    constexpr coefficient& operator*=(const coefficient& other) {
        if (is_exact() && other.is_exact()) {
            // crosswise first, so that what cancels does not overflow
            const std::int64_t a = divisor(above_, other.below_), b = divisor(other.above_, below_);
            std::int64_t up = 0, down = 0;
            if (!__builtin_mul_overflow(above_ / a, other.above_ / b, &up) &&
                !__builtin_mul_overflow(below_ / b, other.below_ / a, &down)) {
                set(up, down);
                return *this;
            }
        }
        return *this = real(value_ * other.value_);
    }
    constexpr coefficient& operator+=(const coefficient& other) {
        if (is_exact() && other.is_exact()) {
            std::int64_t left = 0, right = 0, up = 0, down = 0;
            if (!__builtin_mul_overflow(above_, other.below_, &left) &&
                !__builtin_mul_overflow(other.above_, below_, &right) &&
                !__builtin_mul_overflow(below_, other.below_, &down) &&
                !__builtin_add_overflow(left, right, &up)) {
                set(up, down);
                return *this;
            }
        }
        const double sum = value_ + other.value_;
        return *this = real(nearly_equal(value_, -other.value_) ? 0 : sum);
    }
    /// Exactly so for two quotients.
    friend constexpr bool operator==(const coefficient& a, const coefficient& b) {
        if (a.is_exact() && b.is_exact()) return a.above_ == b.above_ && a.below_ == b.below_;
        return nearly_equal(a.value_, b.value_);
    }
    /// To a whole or half power; false for others.
    constexpr bool raise(double exponent) {
        double result = 0;
        if (!constant_power(value_, exponent, result)) return false;
        if (!is_exact() || !is_whole(exponent)) {
            const coefficient short_one(result);  // the root of a square
            coefficient square = short_one;
            square *= short_one;
            const bool exact = is_exact() && (exponent == 0.5 || exponent == -0.5) &&
                               short_one.is_exact() && square.is_exact() &&
                               square == (exponent > 0 ? *this : inverse());
            *this = exact ? short_one : real(result);
            return true;
        }
        coefficient base = exponent < 0 ? inverse() : *this, out(1);
        for (double k = exponent < 0 ? -exponent : exponent; k > 0; --k) out *= base;
        *this = out;
        return true;
    }

private:
    constexpr coefficient() = default;
    static constexpr coefficient real(double value) {
        coefficient out;
        out.value_ = value;
        return out;
    }
    constexpr coefficient inverse() const {
        coefficient out = real(1 / value_);
        out.set(above_ < 0 ? -below_ : below_, above_ < 0 ? -above_ : above_);
        return out;
    }
    constexpr void set(std::int64_t above, std::int64_t below) {
        const std::int64_t common = divisor(above, below);
        above_ = above / common;
        below_ = below / common;
        value_ = static_cast<double>(above_) / static_cast<double>(below_);
    }
    /// The greatest common one, positive.
    static constexpr std::int64_t divisor(std::int64_t a, std::int64_t b) {
        if (a < 0) a = -a;
        while (b != 0) {
            const std::int64_t rest = a % b;
            a = b;
            b = rest;
        }
        return a == 0 ? 1 : a;
    }

    double value_ = 0;
    std::int64_t above_ = 0;
    std::int64_t below_ = 0;  // 0: not exact
};

}  // namespace ricci::ir
