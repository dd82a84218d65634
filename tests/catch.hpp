// Catch2, whichever major version the system has.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // as version 2 has it
#define RICCI_CATCH_SUBSTRING Catch::Matchers::ContainsSubstring
#else
#include <catch2/catch.hpp>
#define RICCI_CATCH_SUBSTRING Catch::Matchers::Contains
#endif

namespace ricci::testing {

/// Matches texts with this part: version 3 has another word for it, and the old one for elements.
inline auto Contains(const std::string& part) { return RICCI_CATCH_SUBSTRING(part); }

}  // namespace ricci::testing

#undef RICCI_CATCH_SUBSTRING
