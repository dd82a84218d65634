// Pictures as one SVG file, for screens in both colours and for paper.
#pragma once

#include <string>
#include <vector>

#include "draw/layout.hpp"

namespace ricci::draw {

/// All pictures below each other, each with its title and its notes.
std::string to_svg(const std::vector<picture>& all);

}  // namespace ricci::draw
