// The 16-bit types convert as IEEE 754 asks, in the compiler too.
#include <limits>
#include <type_traits>

#include <ricci/half.hpp>

namespace {

using ricci::bf16;
using ricci::f16;

static_assert(sizeof(bf16) == 2 && sizeof(f16) == 2);
static_assert(std::is_trivially_copyable_v<bf16> && std::is_trivially_copyable_v<f16>);
static_assert(bf16() == 0.0f && f16() == 0.0f);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Ties go to even.
static_assert(f16(2049.0f) == 2048.0f && f16(2051.0f) == 2052.0f);
static_assert(bf16(257.0f) == 256.0f && bf16(259.0f) == 260.0f);
// Rounding carries into the exponent, and beyond the largest number.
static_assert(f16(65504.0f) == 65504.0f && f16(65519.0f) == 65504.0f && f16(65520.0f) == infinity);
static_assert(f16(-1e9f) == -infinity && bf16(std::numeric_limits<float>::max()) == infinity);
// Subnormal numbers.
static_assert(f16(0x1p-24f).bits() == 1 && f16(0x1p-25f).bits() == 0 &&
              f16(0x1.8p-25f).bits() == 1);
static_assert(f16(-0x1.ffp-15f).bits() == 0x83fe && f16::from_bits(0x83fe) == -0x1.ffp-15f);
static_assert(bf16(0x1p-130f) == 0x1p-130f);
// Signed zeros and NaN.
static_assert(f16(-0.0f).bits() == 0x8000 && bf16(-0.0f).bits() == 0x8000);
static_assert(f16(nan) != f16(nan) && bf16(nan) != bf16(nan));
// A double is rounded once: by way of float, this would be a tie.
static_assert(f16(1 + 0x1p-11 + 0x1p-40).bits() == 0x3c01 &&
              f16(1 + 0x1p-11 - 0x1p-40).bits() == 0x3c00 && f16(1 + 0x1p-11).bits() == 0x3c00);
static_assert(bf16(-1 - 0x1p-8 - 0x1p-50).bits() == 0xbf81);
// Whole numbers, and arithmetic in float, or in double beside one.
static_assert(f16(3) + f16(4) == 7.0f && std::is_same_v<decltype(f16(3) + f16(4)), float>);
static_assert(std::is_same_v<decltype(bf16(3) * 2.0), double> && -f16(2) == -2);
constexpr f16 sum = [] {
    f16 x = 1;
    x += 2;
    x *= 5;
    return x;
}();
static_assert(sum == 15.0f);

}  // namespace
