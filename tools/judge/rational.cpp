// Arithmetic of long whole numbers, by the school's rules: they have some hundred digits at most.
#include "judge/rational.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace ricci::judge {

integer::integer(std::int64_t value) : negative_(value < 0) {
    std::uint64_t size = static_cast<std::uint64_t>(value);
    if (value < 0) size = ~size + 1;
    for (; size != 0; size >>= 32) parts_.push_back(static_cast<std::uint32_t>(size));
}

integer integer::of_digits(std::string_view digits) {
    integer out;
    for (const char c : digits) out = out * integer(10) + integer(c - '0');
    return out;
}

integer integer::power_of_ten(int exponent) {
    integer out(1), base(10);
    for (int e = exponent; e > 0; e /= 2) {
        if (e % 2 == 1) out = out * base;
        if (e > 1) base = base * base;
    }
    return out;
}

void integer::trim() {
    while (!parts_.empty() && parts_.back() == 0) parts_.pop_back();
    if (parts_.empty()) negative_ = false;
}

int integer::bits() const {
    return parts_.empty() ? 0
                          : static_cast<int>(32 * parts_.size()) - std::countl_zero(parts_.back());
}
integer integer::abs() const {
    integer out = *this;
    out.negative_ = false;
    return out;
}
integer integer::operator-() const {
    integer out = *this;
    out.negative_ = !negative_ && !parts_.empty();
    return out;
}

int integer::compare_size(const integer& a, const integer& b) {
    if (a.parts_.size() != b.parts_.size()) return a.parts_.size() < b.parts_.size() ? -1 : 1;
    for (std::size_t k = a.parts_.size(); k-- > 0;)
        if (a.parts_[k] != b.parts_[k]) return a.parts_[k] < b.parts_[k] ? -1 : 1;
    return 0;
}
bool operator<(const integer& a, const integer& b) {
    if (a.negative_ != b.negative_) return a.negative_;
    const int size = integer::compare_size(a, b);
    return a.negative_ ? size > 0 : size < 0;
}

integer operator+(const integer& a, const integer& b) {
    integer out;
    if (a.negative_ == b.negative_) {
        out.negative_ = a.negative_;
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < std::max(a.parts_.size(), b.parts_.size()) || carry != 0; ++k) {
            carry += k < a.parts_.size() ? a.parts_[k] : 0;
            carry += k < b.parts_.size() ? b.parts_[k] : 0;
            out.parts_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        return out;
    }
    const bool swapped = integer::compare_size(a, b) < 0;
    const integer &large = swapped ? b : a, &small = swapped ? a : b;
    out.negative_ = large.negative_;
    std::int64_t borrow = 0;
    for (std::size_t k = 0; k < large.parts_.size(); ++k) {
        std::int64_t digit = static_cast<std::int64_t>(large.parts_[k]) - borrow -
                             (k < small.parts_.size() ? small.parts_[k] : 0);
        borrow = digit < 0 ? 1 : 0;
        if (digit < 0) digit += std::int64_t{1} << 32;
        out.parts_.push_back(static_cast<std::uint32_t>(digit));
    }
    out.trim();
    return out;
}

integer operator*(const integer& a, const integer& b) {
    integer out;
    out.parts_.resize(a.parts_.size() + b.parts_.size());
    for (std::size_t i = 0; i < a.parts_.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.parts_.size() || carry != 0; ++j) {
            carry += out.parts_[i + j];
            if (j < b.parts_.size()) carry += std::uint64_t{a.parts_[i]} * b.parts_[j];
            out.parts_[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    out.negative_ = a.negative_ != b.negative_;
    out.trim();
    return out;
}

integer integer::shifted(int left) const {
    integer out;
    out.negative_ = negative_;
    if (left >= 0) {
        out.parts_.assign(static_cast<std::size_t>(left / 32), 0);
        std::uint64_t carry = 0;
        for (const std::uint32_t part : parts_) {
            carry |= std::uint64_t{part} << (left % 32);
            out.parts_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        out.parts_.push_back(static_cast<std::uint32_t>(carry));
    } else {
        const std::size_t skip = static_cast<std::size_t>(-left / 32);
        for (std::size_t k = skip; k < parts_.size(); ++k) {
            const std::uint64_t above = k + 1 < parts_.size() ? parts_[k + 1] : 0;
            const std::uint64_t both = above << 32 | parts_[k];
            out.parts_.push_back(static_cast<std::uint32_t>(both >> (-left % 32)));
        }
    }
    out.trim();
    return out;
}

std::uint64_t integer::low() const {
    std::uint64_t out = parts_.empty() ? 0 : parts_[0];
    if (parts_.size() > 1) out |= std::uint64_t{parts_[1]} << 32;
    return out;
}

integer integer::divide(const integer& a, const integer& b, integer& rest) {
    const integer divisor = b.abs();
    integer out;
    if (divisor.parts_.size() == 1) {
        std::uint64_t carry = 0;
        out.parts_.resize(a.parts_.size());
        for (std::size_t k = a.parts_.size(); k-- > 0;) {
            carry = carry << 32 | a.parts_[k];
            out.parts_[k] = static_cast<std::uint32_t>(carry / divisor.parts_[0]);
            carry %= divisor.parts_[0];
        }
        rest = integer(static_cast<std::int64_t>(carry));
    } else {  // bit by bit
        rest = a.abs();
        const int most = rest.bits() - divisor.bits();
        if (most >= 0) out.parts_.resize(static_cast<std::size_t>(most / 32 + 1));
        integer part = most >= 0 ? divisor.shifted(most) : divisor;
        for (int k = most; k >= 0; --k, part = part.shifted(-1)) {
            if (compare_size(rest, part) < 0) continue;
            rest = rest - part;
            out.parts_[static_cast<std::size_t>(k / 32)] |= std::uint32_t{1} << (k % 32);
        }
    }
    out.negative_ = a.negative_ != b.negative_;
    out.trim();
    if (a.negative_) rest = -rest;
    return out;
}

integer divisor_of(integer a, integer b) {
    a = a.abs();
    b = b.abs();
    while (!b.is_zero()) {
        integer rest;
        integer::divide(a, b, rest);
        a = std::move(b);
        b = std::move(rest);
    }
    return a;
}

integer root_of(const integer& a) {
    if (a.sign() <= 0) return {};
    integer x = integer(1).shifted(a.bits() / 2 + 1), rest;
    for (;;) {  // from above, until it grows no less
        integer next = (x + integer::divide(a, x, rest)).shifted(-1);
        if (!(next < x)) return x;
        x = std::move(next);
    }
}

rational::rational(integer above, integer below)
    : above_(std::move(above)), below_(std::move(below)) {
    if (below_.sign() < 0) {
        above_ = -above_;
        below_ = -below_;
    }
    const integer common = divisor_of(above_, below_);
    if (common == integer(1)) return;
    integer rest;
    above_ = integer::divide(above_, common, rest);
    below_ = integer::divide(below_, common, rest);
}

rational rational::of_double(double value) {
    int exponent = 0;
    const double digits = std::frexp(value, &exponent);  // in [1/2, 1)
    const integer whole(static_cast<std::int64_t>(std::ldexp(digits, 53)));
    exponent -= 53;
    return exponent >= 0 ? rational(whole.shifted(exponent), integer(1))
                         : rational(whole, integer(1).shifted(-exponent));
}

double rational::to_double() const {
    const int shift = 64 - (above_.bits() - below_.bits());
    integer rest;
    const integer digits = shift >= 0 ? integer::divide(above_.shifted(shift), below_, rest)
                                      : integer::divide(above_, below_.shifted(-shift), rest);
    // 64 or 65 bits: the last of 65 is below what a double keeps
    const double size = digits.bits() > 64 ? 2 * static_cast<double>(digits.abs().shifted(-1).low())
                                           : static_cast<double>(digits.low());
    return std::ldexp(sign() < 0 ? -size : size, -shift);
}

rational rational::shortened(int kept) const {
    const int shift = kept - (above_.bits() - below_.bits());
    integer rest;
    if (shift < 0) {
        const integer digits = integer::divide(above_, below_.shifted(-shift), rest);
        return {digits.shifted(-shift), integer(1)};
    }
    return {integer::divide(above_.shifted(shift), below_, rest), integer(1).shifted(shift)};
}

rational rational::operator-() const {
    rational out = *this;
    out.above_ = -above_;
    return out;
}
rational operator+(const rational& a, const rational& b) {
    return {a.above_ * b.below_ + b.above_ * a.below_, a.below_ * b.below_};
}
rational operator*(const rational& a, const rational& b) {
    return {a.above_ * b.above_, a.below_ * b.below_};
}
rational operator/(const rational& a, const rational& b) {
    return {a.above_ * b.below_, a.below_ * b.above_};
}
bool operator<(const rational& a, const rational& b) {
    return a.above_ * b.below_ < b.above_ * a.below_;
}

}  // namespace ricci::judge
