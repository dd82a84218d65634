// Equations as words: in LaTeX, and in one line of letters.
#pragma once

#include <string>
#include <string_view>

#include <ricci/ir/program.hpp>

#include "draw/label.hpp"

namespace ricci::draw {

/// What the LaTeX of our own printer says, in one line: letters slanted and words upright, indices
/// raised and lowered, fractions with a stroke.
label typeset(std::string_view latex);

/// An equation in LaTeX.
std::string latex_of(const ir::program_view& p, const ir::equation& e);
/// An equation in plain text, with Greek letters.
std::string title_of(const ir::program_view& p, const ir::equation& e);

}  // namespace ricci::draw
