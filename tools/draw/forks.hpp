// Forks of merged axes.
#pragma once

#include "draw/diagram.hpp"

namespace ricci::draw {

/// Two axes of the same merged indices are joined by one line of several strands.
void join_forks(diagram& d);

}  // namespace ricci::draw
