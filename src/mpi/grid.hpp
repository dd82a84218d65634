// Which ranks have the same places of which shared-out index.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ricci::mpi {

/// One dimension for each shared-out index: that of a Cartesian communicator where there are
/// several, and all ranks one behind the other where there is one. Its communicators are its own,
/// so that our messages meet nobody else's.
class grid_of_ranks {
public:
    /// All ranks call this at a time. Throws the same ricci::error on all of them.
    grid_of_ranks(MPI_Comm comm, const std::vector<std::string>& letters);
    ~grid_of_ranks();
    grid_of_ranks(const grid_of_ranks&) = delete;
    grid_of_ranks& operator=(const grid_of_ranks&) = delete;

    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    std::size_t dimensions() const { return extents_.size(); }
    int extent(std::size_t dimension) const { return extents_[dimension]; }
    /// Of the ranks that differ from this one in that dimension alone, in its order.
    MPI_Comm comm(std::size_t dimension) const { return comms_[dimension]; }
    int place(int rank, std::size_t dimension) const;

private:
    void end();

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    std::vector<int> extents_;
    std::vector<MPI_Comm> comms_;
};

}  // namespace ricci::mpi
