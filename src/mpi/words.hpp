// A placement in words.
#pragma once

#include <cstdint>
#include <string>

#include <ricci/ir/program.hpp>

#include "src/mpi/operands.hpp"
#include "src/mpi/placement.hpp"

namespace ricci::mpi {

/// What this rank hands to MPI for an exchange of elements of so many bytes.
std::int64_t bytes_sent(const workbench& bench, const exchange& e, std::size_t element_size);

/// "all-reduce (sum) of Y, for Y[i,c] = ...: this rank sends 32768 bytes".
std::string words_of(const workbench& bench, const ir::program_view& p, const operation& o,
                     std::size_t element_size);
/// "Y[i,c] = sum(j) A[i,j] V[j,c]": the equation of the text that defines a tensor.
std::string words_of_equation(const ir::program_view& p, ir::ref name);
/// "h: 3 + 3 + 2 places".
std::string words_of(const sharing& s, const std::string& letter);

}  // namespace ricci::mpi
