// A grid of ranks, by MPI's Cartesian topologies.
#include "src/mpi/grid.hpp"

#include <fmt/format.h>

#include <ricci/error.hpp>

#include "src/mpi/agreement.hpp"

namespace ricci::mpi {
namespace {

/// The extents of a Cartesian communicator, or none.
std::vector<int> extents_of(MPI_Comm comm) {
    int topology = MPI_UNDEFINED, dimensions = 0;
    MPI_Topo_test(comm, &topology);
    if (topology != MPI_CART) return {};
    MPI_Cartdim_get(comm, &dimensions);
    std::vector<int> extents(static_cast<std::size_t>(dimensions)), periods(extents), mine(extents);
    MPI_Cart_get(comm, dimensions, extents.data(), periods.data(), mine.data());
    return extents;
}

std::string words_of_mistake(const std::vector<std::string>& letters, std::size_t dimensions) {
    if (letters.empty()) return "no index is named that is to be shared out.";
    for (std::size_t k = 0; k < letters.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
            if (letters[k] == letters[other])
                return fmt::format("the index {} is to be shared out twice.", letters[k]);
    if (letters.size() == 1 || letters.size() == dimensions) return {};
    return fmt::format(
        "{} are shared out, each over one dimension of a grid of ranks, and the communicator has "
        "{}; "
        "MPI_Cart_create makes one of {} dimensions.",
        fmt::join(letters, " and "),
        dimensions == 0 ? std::string("none") : std::to_string(dimensions), letters.size());
}

}  // namespace

grid_of_ranks::grid_of_ranks(MPI_Comm comm, const std::vector<std::string>& letters) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    try {
        const std::vector<int> extents = extents_of(comm_);
        refuse_together(comm_, words_of_mistake(letters, extents.size()));
        for (const std::string& said : told_by_all(comm_, std::to_string(letters.size())))
            if (said != std::to_string(letters.size()))
                throw error("ricci: ranks differ in how many indices they share out.");
        if (letters.size() == 1) {
            int ranks = 1;
            MPI_Comm_size(comm_, &ranks);
            extents_ = {ranks};
            comms_ = {comm_};
            return;
        }
        extents_ = extents;
        for (std::size_t k = 0; k < extents_.size(); ++k) {
            std::vector<int> kept(extents_.size(), 0);
            kept[k] = 1;
            MPI_Comm line = MPI_COMM_NULL;
            MPI_Cart_sub(comm_, kept.data(), &line);
            comms_.push_back(line);
        }
    } catch (...) {
        end();
        throw;
    }
}

void grid_of_ranks::end() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended) return;
    for (MPI_Comm line : comms_)
        if (line != comm_) MPI_Comm_free(&line);
    MPI_Comm_free(&comm_);
}
grid_of_ranks::~grid_of_ranks() { end(); }

// Ranks of a Cartesian communicator are numbered with the last dimension fastest.
int grid_of_ranks::place(int rank, std::size_t dimension) const {
    for (std::size_t k = extents_.size() - 1; k > dimension; --k) rank /= extents_[k];
    return rank % extents_[dimension];
}

}  // namespace ricci::mpi
