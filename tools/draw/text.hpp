// Diagrams for a terminal.
#pragma once

#include <string>

#include "draw/diagram.hpp"

namespace ricci::draw {

/// Boxes, and lines between them, by the places of a layout.
std::string to_text(const diagram& d);

}  // namespace ricci::draw
