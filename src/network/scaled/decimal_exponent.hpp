// Numbers with an exponent of two as numbers with an exponent of ten.
#pragma once

#include <cstdint>

namespace ricci::networks {

/// 2^from = 10^whole * 10^part, with part in [0, 1), good to 2^-60 for any exponent below 2^62.
struct decimal_exponent {
    explicit decimal_exponent(std::int64_t from);
    std::int64_t whole = 0;
    long double part = 0;
};

/// What turns c * 2^exponent, with c in [1, 4), into mantissa * 10^power: the mantissa, in [1, 10),
/// is c times or divided by a number. Exact where that is: for numbers between 1e-22 and 1e22.
struct decimal_change {
    /// `single`: mantissas are rounded to float.
    decimal_change(double c, std::int64_t exponent, bool single);
    std::int64_t power = 0;
    double by = 1;
    bool divides = false;

private:
    double mantissa(double c, bool single) const;
    void take_power(std::int64_t exponent, std::int64_t to);
};

}  // namespace ricci::networks
