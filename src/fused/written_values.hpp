// Values as they are written to a result, with strides.
#pragma once

#include <cstdint>

namespace ricci::fused {

/// to = factor * from + beta * to, for `count` values.
template <class T>
void write_values(T* to, std::int64_t stride, const T* from, std::int64_t count, T factor, T beta) {
    for (std::int64_t c = 0; c < count; ++c) {
        T& value = to[c * stride];
        value = beta == 0 ? factor * from[c] : factor * from[c] + beta * value;
    }
}

}  // namespace ricci::fused
