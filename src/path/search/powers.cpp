// Powers of two of whole multiples of weight_unit, from a table of a few kilobytes.
#include "src/path/search/powers.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "src/path/search/core_network.hpp"

namespace ricci::path {
namespace {

/// 2^(k/1024).
const std::array<double, 1024> fractional_powers = [] {
    std::array<double, 1024> powers{};
    for (std::size_t k = 0; k < powers.size(); ++k)
        powers[k] = std::exp2(static_cast<double>(k) / 1024);
    return powers;
}();

}  // namespace

double power_of_two(std::int64_t x) {
    if (x < -1000 * one_bit) return 0;
    const std::int64_t whole = x >> 16, rest = x & (one_bit - 1);
    const auto exponent = static_cast<std::uint64_t>(whole + 1023) << 52;
    double scale = 0;
    std::memcpy(&scale, &exponent, sizeof scale);
    constexpr double log_two = 0.6931471805599453;
    const double fine = 1 + static_cast<double>(rest & 63) * (log_two * weight_unit);
    return scale * fractional_powers[static_cast<std::size_t>(rest >> 6)] * fine;
}

}  // namespace ricci::path
