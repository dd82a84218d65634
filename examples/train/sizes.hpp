// How large the model is.
#pragma once

#include <cstddef>

namespace train {

inline constexpr std::size_t width = 64, heads = 4, hidden = 4 * width, layers = 2, length = 64,
                             batch = 8;
inline constexpr std::size_t column = width / heads;

}  // namespace train
