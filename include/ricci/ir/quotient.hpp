// Quotients of whole numbers, as coefficients and exponents of a normal form are: exact, or not
// there at all. Nothing is rounded; what does not fit is refused, and the caller keeps it apart.
#pragma once

#include <cstdint>

namespace ricci::ir {

class quotient {
public:
    quotient() = default;  // of no value yet, as an entry of a list
    constexpr quotient(std::int64_t whole)
        : above_(whole), below_(1) {}  // NOLINT: a number is a number
    /// Of an above and a below that is positive; both are no least number of their type.
    constexpr quotient(std::int64_t above, std::int64_t below) : above_(0), below_(1) {
        set(above, below);
    }

    constexpr std::int64_t above() const { return above_; }
    constexpr std::int64_t below() const { return below_; }
    constexpr double value() const {
        return static_cast<double>(above_) / static_cast<double>(below_);
    }
    constexpr bool is(std::int64_t whole) const { return above_ == whole && below_ == 1; }
    constexpr bool is_whole() const { return below_ == 1; }
    /// The greatest whole number that is not above it.
    constexpr std::int64_t floor() const {
        return above_ >= 0 ? above_ / below_ : -((-above_ + below_ - 1) / below_);
    }
    friend constexpr bool operator==(const quotient& a, const quotient& b) {
        return a.above_ == b.above_ && a.below_ == b.below_;
    }

    // Each is true where the result fits, and leaves the number as it was where it does not.

    constexpr bool multiply(const quotient& other) {
        // crosswise first, so that what cancels does not overflow
        const std::int64_t a = divisor(above_, other.below_), b = divisor(other.above_, below_);
        std::int64_t up = 0, down = 0;
        if (__builtin_mul_overflow(above_ / a, other.above_ / b, &up) ||
            __builtin_mul_overflow(below_ / b, other.below_ / a, &down) || up == INT64_MIN)
            return false;
        set(up, down);
        return true;
    }
    constexpr bool add(const quotient& other) {
        std::int64_t left = 0, right = 0, up = 0, down = 0;
        if (__builtin_mul_overflow(above_, other.below_, &left) ||
            __builtin_mul_overflow(other.above_, below_, &right) ||
            __builtin_mul_overflow(below_, other.below_, &down) ||
            __builtin_add_overflow(left, right, &up) || up == INT64_MIN)
            return false;
        set(up, down);
        return true;
    }
    /// To a whole power; 0 has none that is negative.
    constexpr bool raise(std::int64_t n) {
        if (n < 0 && above_ == 0) return false;
        if (n < -64 || n > 64) {
            if (below_ != 1 || above_ < -1 || above_ > 1) return false;
            n = n % 2 == 0 ? 2 : 1;  // of 0, 1 and -1
        }
        quotient base = *this;
        if (n < 0) base.set(above_ < 0 ? -below_ : below_, above_ < 0 ? -above_ : above_);
        quotient power(1);
        for (std::int64_t k = n < 0 ? -n : n; k > 0; --k)
            if (!power.multiply(base)) return false;
        *this = power;
        return true;
    }

private:
    constexpr void set(std::int64_t above, std::int64_t below) {
        const std::int64_t common = divisor(above, below);
        above_ = above / common;
        below_ = below / common;
    }
    /// The greatest common one, positive.
    static constexpr std::int64_t divisor(std::int64_t a, std::int64_t b) {
        if (a < 0) a = -a;
        if (b < 0) b = -b;
        while (b != 0) {
            const std::int64_t rest = a % b;
            a = b;
            b = rest;
        }
        return a == 0 ? 1 : a;
    }

    std::int64_t above_;
    std::int64_t below_;
};

}  // namespace ricci::ir
