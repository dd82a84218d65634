// Results of blocks that ranks have, told to all of them.
#include "src/mpi/told_blocks.hpp"

#include <cstring>
#include <numeric>

#include "src/mpi/folds.hpp"

namespace ricci::mpi {
namespace {

constexpr std::size_t little = std::size_t{1} << 22;  // bytes

std::size_t length_of(const array& a) { return a.size() * size_of(a.type()); }

void tell_one(MPI_Comm comm, int owner, array& result) {
    in_pieces(result, [&](std::size_t from, int count) {
        MPI_Bcast(static_cast<char*>(result.data()) + from, count, datatype_of(result.type()),
                  owner, comm);
    });
}

// visit(block, where it begins), of results that lie rank by rank.
template <class Visit>
void for_each_place(std::size_t first, std::size_t end, const std::vector<int>& owners,
                    const std::vector<array>& results, std::vector<int> begins,
                    const Visit& visit) {
    for (std::size_t b = first; b < end; ++b) {
        int& place = begins[static_cast<std::size_t>(owners[b])];
        visit(b, place);
        place += static_cast<int>(length_of(results[b]));
    }
}

}  // namespace

std::int64_t tell_blocks(MPI_Comm comm, const std::vector<int>& owners, std::vector<array>& results,
                         std::int64_t first, const std::function<array(std::int64_t)>& room_for) {
    int me = 0, ranks = 1;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    std::vector<int> counts(static_cast<std::size_t>(ranks), 0), begins = counts;
    const auto from = static_cast<std::size_t>(first);
    std::size_t end = from;
    for (std::size_t all = 0; end < owners.size(); ++end) {
        if (owners[end] != me) results[end] = room_for(static_cast<std::int64_t>(end));
        all += length_of(results[end]);
        if (all > little) break;
        counts[static_cast<std::size_t>(owners[end])] += static_cast<int>(length_of(results[end]));
    }
    if (end == from) {  // it is much by itself
        tell_one(comm, owners[from], results[from]);
        return first + 1;
    }
    std::partial_sum(counts.begin(), counts.end() - 1, begins.begin() + 1);
    std::vector<char> told(static_cast<std::size_t>(begins.back() + counts.back()));
    for_each_place(from, end, owners, results, begins, [&](std::size_t b, int place) {
        if (owners[b] == me)
            std::memcpy(told.data() + place, results[b].data(), length_of(results[b]));
    });
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, told.data(), counts.data(), begins.data(),
                   MPI_CHAR, comm);
    for_each_place(from, end, owners, results, begins, [&](std::size_t b, int place) {
        if (owners[b] != me)
            std::memcpy(results[b].data(), told.data() + place, length_of(results[b]));
    });
    return static_cast<std::int64_t>(end);
}

}  // namespace ricci::mpi
