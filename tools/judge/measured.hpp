// A number with what it is good to: an interval around an exact quotient.
#pragma once

#include <cstdint>
#include <optional>

#include "judge/rational.hpp"

namespace ricci::judge {

/// All numbers whose distance from `value` is at most `half`.
struct measured {
    rational value;
    rational half;  // 0: exact
    bool is_exact() const { return half.is_zero(); }
    bool is_whole() const { return half.is_zero() && value.is_whole(); }
};

measured exactly(const rational& value);
measured operator+(const measured& x, const measured& y);
measured operator-(const measured& x);
measured operator*(const measured& x, const measured& y);
/// 1 / x; nullopt where 0 may be among the numbers.
std::optional<measured> inverse(const measured& x);
/// x^n.
std::optional<measured> power(const measured& x, int n);
/// x^y, for a positive x where y is no whole number.
std::optional<measured> power(const measured& x, const measured& y);

enum class real_function : std::uint8_t {
    exp,
    log,
    sqrt,
    sin,
    cos,
    tan,
    sinh,
    cosh,
    tanh,
    arctan,
    sigmoid,
    relu,
    absolute,
    erf,
    floor,
    ceil,
};
/// Roots of squares, floors and absolute values are exact, the others good to sixteen digits.
/// Nullopt where the numbers reach out of the domain, or the result beyond what a double holds.
std::optional<measured> apply(real_function f, const measured& x);
measured circle_number();

}  // namespace ricci::judge
