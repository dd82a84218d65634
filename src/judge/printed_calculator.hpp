// The value of a numeric side, in intervals.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/judge/printed_numbers.hpp"
#include "src/judge/printed_tokens.hpp"

namespace ricci::judge {

using known_numbers = std::map<std::string, printed_value, std::less<>>;

/// `mixed`: whether 2\frac{1}{2} is two and a half, or else a product.
std::optional<printed_value> calculate(const std::vector<printed_token>& side,
                                       const known_numbers& known, bool mixed);

/// A name as it is looked up: without spaces, each script in braces.
std::string printed_key(std::string_view name);

}  // namespace ricci::judge
