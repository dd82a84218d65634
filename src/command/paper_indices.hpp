// Which letters of a formula are indices.
#pragma once

#include <string>
#include <vector>

#include "command/paper_tokens.hpp"

namespace ricci::command {

/// The letters that stand in subscripts and superscripts as indices may, sum signs included.
std::vector<std::string> index_letters(const tokens& list);

}  // namespace ricci::command
