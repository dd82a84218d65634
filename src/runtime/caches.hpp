// What is assumed of any machine's caches where the choice must not depend on the machine.
#pragma once

#include <cstdint>

namespace ricci::runtime {

/// An output of at least so many bytes, each element written once, is written past the caches: it
/// would not be found there when it is read, and its lines need not be fetched to be written.
inline constexpr std::int64_t stream_bytes = std::int64_t{8} << 20;

inline constexpr std::int64_t line_bytes = 64;

}  // namespace ricci::runtime
