// Asking memory for what is read soon.
#pragma once

#include <cstdint>

namespace ricci::kernels {

/// Asks for the lines of so many elements, into the second cache, which has more places to wait for
/// memory than the first. Part of its caller: g++ drops the call of a function that does nothing
/// but ask.
template <class T>
[[gnu::always_inline]] inline void ask_for(const T* first, std::int64_t elements) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t x = 0; x < elements; x += line) __builtin_prefetch(first + x, 0, 2);
}

}  // namespace ricci::kernels
