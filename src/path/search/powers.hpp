// Powers of two of whole multiples of weight_unit, the same on every machine.
#pragma once

#include <cstdint>

namespace ricci::path {

inline constexpr std::int64_t one_bit = 65536;  // log2 of two, in multiples of weight_unit

/// 2^x for x below 1023 bits, good to 3e-7 of it; 0 where that is below 2^-1000.
double power_of_two(std::int64_t x);

}  // namespace ricci::path
