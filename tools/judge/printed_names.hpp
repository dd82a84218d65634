// Names among printed tokens.
#pragma once

#include <string>
#include <string_view>

#include "judge/printed_tokens.hpp"

namespace ricci::judge {

/// The name at `end`, without scripts, which is moved behind it; empty where none stands there.
std::string name_at(const printed_token*& end, const printed_token* last);

/// Appends {...}, or one token; false where it does not end.
bool spell_script(const printed_token*& end, const printed_token* last, std::string& key);

/// A name as it is looked up: without spaces, each script in braces.
std::string printed_key(std::string_view name);

}  // namespace ricci::judge
