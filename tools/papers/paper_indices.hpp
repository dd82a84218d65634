// Which letters of a formula are indices.
#pragma once

#include <string>
#include <vector>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

/// The letters that stand in subscripts and superscripts as indices may, sum signs included.
std::vector<std::string> index_letters(const tokens& list);

}  // namespace ricci::papers
