// A placement in words.
#pragma once

#include <cstdint>
#include <string>

#include <ricci/ir/program.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// "Y[i,c] = sum(j) A[i,j] V[j,c]": the equation of the text that defines a tensor.
std::string words_of_equation(const ir::program_view& p, ir::ref name);
/// "all-reduce (sum) over h of terms of Y, for Y[i,c] = ...".
std::string words_of(const workbench& bench, const exchange& e, const std::string& letter,
                     const std::string& equation);
/// "h: 3 + 3 + 2 places".
std::string words_of(const sharing& s, const std::string& letter);

}  // namespace ricci::mpi
