#include "src/network/scaled/decimal_exponent.hpp"

#include <cmath>

namespace ricci::networks {
namespace {

__extension__ using wide = __int128;

// log10(2) = high * 2^-64 + low * 2^-128.
constexpr std::uint64_t log10_of_2_high = 0x4d104d427de7fbccU;
constexpr std::uint64_t log10_of_2_low = 0x47c4acd605be48bcU;

}  // namespace

decimal_exponent::decimal_exponent(std::int64_t from) {
    const auto size = static_cast<wide>(from < 0 ? -from : from);
    // Below 2^126, with 64 digits behind the point.
    wide product = size * static_cast<wide>(log10_of_2_high) +
                   ((size * static_cast<wide>(log10_of_2_low)) >> 64);
    if (from < 0) product = -product;
    whole = static_cast<std::int64_t>(product >> 64);
    part = std::ldexp(static_cast<long double>(static_cast<std::uint64_t>(product)), -64);
}

decimal_change::decimal_change(double c, std::int64_t exponent, bool single) {
    const decimal_exponent of_power(exponent);
    const bool carries = of_power.part + std::log10(static_cast<long double>(c)) >= 1;
    const std::int64_t first = of_power.whole + (carries ? 1 : 0);
    take_power(exponent, first);
    // Rounding may have led to the other side of a power of ten.
    if (mantissa(c, single) >= 10) take_power(exponent, first + 1);
    else if (mantissa(c, single) < 1) take_power(exponent, first - 1);
    while (mantissa(c, single) < 1) {
        const double to = divides ? 0 : HUGE_VAL;
        by = single ? static_cast<double>(
                          std::nextafter(static_cast<float>(by), static_cast<float>(to)))
                    : std::nextafter(by, to);
    }
}

double decimal_change::mantissa(double c, bool single) const {
    if (!single) return divides ? c / by : c * by;
    const auto number = static_cast<float>(c), factor = static_cast<float>(by);
    return static_cast<double>(divides ? number / factor : number * factor);
}

void decimal_change::take_power(std::int64_t exponent, std::int64_t to) {
    power = to;
    constexpr std::int64_t exact = 22;  // 10^22 is a double, and no larger power is
    if (to >= -exact && to <= exact) {
        divides = to > 0;
        by = std::ldexp(std::pow(10.0, static_cast<double>(std::abs(to))),
                        static_cast<int>(divides ? -exponent : exponent));
        return;
    }
    const decimal_exponent of_power(exponent);
    divides = false;
    by = static_cast<double>(
        std::pow(10.0L, of_power.part + static_cast<long double>(of_power.whole - to)));
}

}  // namespace ricci::networks
