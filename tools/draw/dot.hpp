// Diagrams in Graphviz's language.
#pragma once

#include <string>
#include <vector>

#include "draw/diagram.hpp"

namespace ricci::draw {

/// One graph; every diagram is a cluster of it.
std::string to_dot(const std::vector<diagram>& all);

}  // namespace ricci::draw
