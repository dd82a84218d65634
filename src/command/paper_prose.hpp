// What the words around an equation say of where it holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ricci::command {

/// Whether the text before an equation gives another case or another choice of a name.
bool says_another_case(std::string_view before);

/// Why the heading or the text before an equation restricts it; empty if they do not.
std::string case_in(std::string_view heading, std::string_view before);

/// Whether a formula at `at` in the text is supposed, and not said: "if $i = j$".
bool supposes(std::string_view text, std::size_t at);

}  // namespace ricci::command
