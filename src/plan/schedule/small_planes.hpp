// What tests say of planes that are too small for panels.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ricci::plan {

/// Whether planes are cut that are too small to gain by it: tests set RICCI_CUT_ALL=1.
inline bool cuts_small_planes() {
    const char* const all = std::getenv("RICCI_CUT_ALL");
    return all != nullptr && std::string_view(all) == "1";
}

}  // namespace ricci::plan
