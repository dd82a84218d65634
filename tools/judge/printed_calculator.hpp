// The value of a numeric side, in intervals.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/printed_numbers.hpp"
#include "judge/printed_tokens.hpp"

namespace ricci::judge {

struct known_names {
    std::map<std::string, printed_value, std::less<>> numbers;
    std::map<std::string, printed_function, std::less<>> functions;
};

/// `mixed`: whether 2\frac{1}{2} is two and a half, or else a product.
std::optional<printed_value> calculate(const std::vector<printed_token>& side,
                                       const known_names& known, bool mixed);

}  // namespace ricci::judge
