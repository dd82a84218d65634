// Equations as they are set in print, for the headings of diagrams.
#pragma once

#include <string_view>

#include "draw/label.hpp"

namespace ricci::draw {

/// What the LaTeX of our own printer says, in one line: letters slanted and words upright, indices
/// raised and lowered, fractions with a stroke.
label typeset(std::string_view latex);

}  // namespace ricci::draw
