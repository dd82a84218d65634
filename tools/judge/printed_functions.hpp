// Functions of printed numbers, by the names that pages give them.
#pragma once

#include <string_view>
#include <vector>

#include "judge/printed_numbers.hpp"

namespace ricci::judge {

/// What a function has of its arguments; no_number where there is none by this name.
printed_value applied(std::string_view word, const std::vector<printed_value>& arguments);

}  // namespace ricci::judge
