// What ranks tell each other.
#include "src/mpi/agreement.hpp"

#include <numeric>

#include <fmt/core.h>

#include <ricci/error.hpp>

namespace ricci::mpi {

std::vector<std::string> told_by_all(MPI_Comm comm, const std::string& mine) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    std::vector<int> sizes(static_cast<std::size_t>(ranks)), first(sizes);
    const int size = static_cast<int>(mine.size());
    MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
    std::exclusive_scan(sizes.begin(), sizes.end(), first.begin(), 0);
    std::string all(static_cast<std::size_t>(first.back() + sizes.back()), '\0');
    MPI_Allgatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), first.data(), MPI_CHAR,
                   comm);
    std::vector<std::string> told;
    for (std::size_t r = 0; r < sizes.size(); ++r)
        told.push_back(
            all.substr(static_cast<std::size_t>(first[r]), static_cast<std::size_t>(sizes[r])));
    return told;
}

void refuse_together(MPI_Comm comm, const std::string& wrong) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int mine = wrong.empty() ? ranks : rank;
    int first = ranks;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == ranks) return;
    std::string words = wrong;
    int size = static_cast<int>(words.size());
    MPI_Bcast(&size, 1, MPI_INT, first, comm);
    words.resize(static_cast<std::size_t>(size));
    MPI_Bcast(words.data(), size, MPI_CHAR, first, comm);
    throw error(fmt::format("ricci: on rank {} of {}: {}", first, ranks, words));
}

}  // namespace ricci::mpi
