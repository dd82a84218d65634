// Numbers as the command prints them.
#pragma once

#include <cstddef>
#include <string>

namespace ricci::command {

/// 1,048,576: what is counted by hand is compared digit by digit.
std::string with_commas(std::size_t n);
/// The same of a whole number that may be too large for std::size_t.
std::string with_commas(double n);
/// All digits of a whole number below a million, four of a larger one: 1.234e+09.
std::string rounded(double n);
/// 1.5 GB, in 1024.
std::string words_of_bytes(double bytes);

}  // namespace ricci::command
