// What is said of a number that is no place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/index/numbers.hpp"

namespace ricci::engine {

/// Throws ricci::error for a number that is no place. `words`: where each lookup is.
inline void refuse(const elementwise::stray_number& stray, const std::vector<std::string>& words) {
    if (!stray.found()) return;
    throw error(
        fmt::format("ricci: {} {:g}.", words[static_cast<std::size_t>(stray.lookup)], stray.value));
}

}  // namespace ricci::engine
