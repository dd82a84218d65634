// Divisions that round up.
#include "src/base/arithmetic.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using ricci::ceil_divide;
using ricci::round_up;

static_assert(ceil_divide(std::int64_t{0}, 4) == 0);
static_assert(ceil_divide(std::int64_t{1}, 4) == 1);
static_assert(ceil_divide(std::int64_t{4}, 4) == 1);
static_assert(ceil_divide(std::int64_t{5}, 4) == 2);
static_assert(ceil_divide(std::int64_t{7}, 1) == 7);
static_assert(round_up(std::int64_t{0}, 16) == 0);
static_assert(round_up(std::int64_t{16}, 16) == 16);
static_assert(round_up(std::int64_t{17}, 16) == 32);

// The first argument decides the type.
static_assert(sizeof(round_up(std::size_t{5}, 8)) == sizeof(std::size_t));
static_assert(round_up(std::size_t{1}, 4096) == 4096);

}  // namespace
