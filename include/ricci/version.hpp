// The version of these headers, for programs that are written for several. docs/versions.md says
// what a version promises.
#pragma once

#include <ricci/detail/export.hpp>

#define RICCI_VERSION_MAJOR 0
#define RICCI_VERSION_MINOR 1
#define RICCI_VERSION_PATCH 0

/// 0.1.0 is 100 and 1.2.3 is 10203: `#if RICCI_VERSION >= 10203`.
#define RICCI_VERSION \
    (RICCI_VERSION_MAJOR * 10000 + RICCI_VERSION_MINOR * 100 + RICCI_VERSION_PATCH)
#define RICCI_VERSION_STRING "0.1.0"

namespace ricci {

/// The version of the compiled library that a program runs with, as RICCI_VERSION counts. Another
/// than RICCI_VERSION: it was compiled with other headers.
RICCI_EXPORT int library_version();

}  // namespace ricci
