// Fewer cases where each takes several times as long.
#pragma once

#include <cstdlib>

namespace ricci::testing {

/// Whether the environment has RICCI_FEW: a sanitizer watches, and what it sees in one extent it
/// sees in the next.
inline bool few() { return std::getenv("RICCI_FEW") != nullptr; }

/// The first of two where there are to be few, else the second.
template <class T>
T few_or(T few_of_them, T all) {
    return few() ? few_of_them : all;
}

}  // namespace ricci::testing
