// A network of tensors contracted by the ranks of an MPI communicator together, in the library
// ricci-mpi.
#pragma once

#include <mpi.h>

#include <string>

#include <ricci/detail/export.hpp>
#include <ricci/network.hpp>

namespace ricci::mpi {

/// The result of a network, on all ranks: slices of the order are carried out by whichever rank is
/// free, in blocks, whose results are added up in their order. So it is bitwise the same for any
/// number of ranks. An order without slices is carried out by one rank.
///
/// All ranks call this at a time, each with the whole network and the same order. Every block's
/// result is told to all ranks; there are at most 256 for each part of the result, fewer where that
/// is large. A rank keeps those of its own: at most a gigabyte, or 16 times the result, all
/// together.
///
/// `options.memory` is for each rank, and none is shared: where several are on one machine, say how
/// much each may have. `options.progress` is asked on rank 0; false ends it on all ranks, and all
/// throw ricci::error. `unfinished`: a file of rank 0 where what has been done is written then, and
/// where one of them fails. The same call with the same file goes on from there, on any number of
/// ranks, and removes it in the end.
///
/// Throws the same ricci::error on all ranks, naming the one that it comes from: as
/// ricci::contract() does; where networks, their values or orders differ between ranks; for an
/// order that rests on zeros in the tensors' values; and for a file of another network.
RICCI_EXPORT array contract(MPI_Comm comm, const network& n, const contraction_order& order,
                            const contract_options& options = {},
                            const std::string& unfinished = {});

}  // namespace ricci::mpi
