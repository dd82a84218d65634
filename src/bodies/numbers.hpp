// Which values of a body are never NaN where none of its rows and columns is NaN or infinite.
#pragma once

#include <vector>

#include "src/bodies/body.hpp"

namespace ricci::bodies {

/// For each value. What is read of pairs may be anything.
std::vector<char> never_nan(const body& what);

}  // namespace ricci::bodies
