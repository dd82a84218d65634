// What ranks have added up at places of others, from each to each that has them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "src/mpi/asked_places.hpp"
#include "src/mpi/folds.hpp"

namespace ricci::mpi {
namespace {

class neighbouring_sums final : public collective {
public:
    neighbouring_sums(MPI_Comm comm, const array& from, const array& to, const distribution& parts,
                      const std::vector<window>& windows)
        : comm_(comm), from_(from), to_(to) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        const auto me = static_cast<std::size_t>(rank);
        std::size_t pieces = 0;
        const auto add = [&](std::vector<block>& list, int other, const array& part) {
            list.push_back({other, part, {}});
            pieces += part.size() / longest + 1;
        };
        for (const window_part& p : window_parts(windows[me], parts))
            if (p.owner != rank) add(go_, p.owner, part_of(from_, 0, p.at, p.count));
        for (std::size_t r = 0; r < windows.size(); ++r)
            for (const window_part& p : window_parts(windows[r], parts)) {
                if (p.owner != rank) continue;
                add(come_, static_cast<int>(r),
                    part_of(to_, 0, p.place - parts.before(rank), p.count));
                block& b = come_.back();
                b.here = r == me ? part_of(from_, 0, p.at, p.count)
                                 : array(from_.type(), b.part.extents());
            }
        requests_.reserve(pieces);
    }

    // Messages from one rank to another keep their order, which is that of the window on both. They
    // are added up in the order of the ranks.
    void start() override {
        int rank = 0;
        MPI_Comm_rank(comm_, &rank);
        requests_.clear();
        for (block& b : come_)
            if (b.other != rank)
                for_each_piece(b.here, [&](char* data, int count, MPI_Datatype type) {
                    MPI_Irecv(data, count, type, b.other, 0, comm_, &requests_.emplace_back());
                });
        for (block& b : go_)
            for_each_piece(b.part, [&](char* data, int count, MPI_Datatype type) {
                MPI_Isend(data, count, type, b.other, 0, comm_, &requests_.emplace_back());
            });
        if (to_.size() > 0) std::memset(to_.data(), 0, to_.size() * size_of(to_.type()));
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        for (block& b : come_)
            add_elements(to_.type(), std::as_const(b.here).data(), b.part.data(), b.part.size());
    }

private:
    struct block {
        int other;
        array part;  // of what is sent, or of what it is added to
        array here;  // what has come
    };
    template <class Visit>
    static void for_each_piece(array& a, const Visit& visit) {
        char* const data = static_cast<char*>(a.data());
        for (std::size_t k = 0; k < a.size(); k += longest)
            visit(data + k * size_of(a.type()), static_cast<int>(std::min(longest, a.size() - k)),
                  datatype_of(a.type()));
    }

    MPI_Comm comm_;
    array from_, to_;
    std::vector<block> go_, come_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<collective> sums_at_neighbours(MPI_Comm comm, const array& from, const array& to,
                                               const distribution& parts,
                                               const std::vector<window>& windows) {
    return std::make_unique<neighbouring_sums>(comm, from, to, parts, windows);
}

}  // namespace ricci::mpi
