// Element types as numpy writes them: "<f4".
#pragma once

#include <string_view>

#include "src/files/stored.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

/// Throws for types that the library does not have, by name.
stored_type read_npy_type(std::string_view descr, const place& where);
/// Throws for bf16, which numpy does not have.
std::string_view npy_type(element type, const place& where);

}  // namespace ricci::files
