// Commands of LaTeX that our printer writes, as the characters that they stand for.
#pragma once

#include <string>
#include <string_view>

namespace ricci::formula {

/// The letter of a command, without its backslash: α of alpha; empty for what is none.
std::string_view letter_of(std::string_view command);
/// The sign of a command: ≤ of le; empty for what is none.
std::string_view sign_of(std::string_view command);
/// Whether the command is a function in upright letters: \exp.
bool is_function(std::string_view command);

/// An accent: as a mark behind the letter which it is over, and as a sign above it.
struct accent {
    std::string_view command, mark, sign;
};
/// None for what is no accent.
const accent* accent_of(std::string_view command);

/// LaTeX commands of letters as Unicode, everything else as it is.
std::string with_greek(std::string_view text);

}  // namespace ricci::formula
