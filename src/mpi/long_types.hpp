// Elements by the billion, as one of MPI's.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace ricci::mpi {

/// MPI's counts have 31 bits: what is longer goes in pieces of so many elements.
inline constexpr std::size_t longest = std::size_t{1} << 28;

/// So many elements as one of MPI's; more than its counts go to, too. The caller commits and frees
/// it.
MPI_Datatype contiguous_type(std::size_t elements, MPI_Datatype of, std::size_t most = longest);

}  // namespace ricci::mpi
