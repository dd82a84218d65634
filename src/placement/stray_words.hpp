// What is said of a number that is no place, where a rank has some rows of what is looked up.
#pragma once

#include <string>

#include "src/placement/stages.hpp"

namespace ricci::mpi {

/// The engine knows the rows that are here and numbers that are counted anew. The same words with
/// the places of the whole axis, and the number that the caller has bound.
std::string stray_words(const workbench& bench, const staged_program& all,
                        const std::string& words);

}  // namespace ricci::mpi
