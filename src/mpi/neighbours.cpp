// Places of an axis that other ranks have, from each to each that reads them.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"

namespace ricci::mpi {
namespace {

class neighbouring final : public collective {
public:
    neighbouring(MPI_Comm comm, const array& from, const array& to, std::size_t axis,
                 const distribution& parts, const std::vector<window>& windows)
        : comm_(comm), from_(from), to_(to) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        const auto me = static_cast<std::size_t>(rank);
        for (const window_part& p : window_parts(windows[me], parts)) {
            const array there = part_of(to_, axis, p.at, p.count);
            if (p.owner != rank) come_.push_back(message(p.owner, there));
            else
                own_.emplace_back(part_of(from_, axis, p.place - parts.before(rank), p.count),
                                  there);
        }
        for (std::size_t r = 0; r < windows.size(); ++r) {
            if (r == me) continue;
            for (const window_part& p : window_parts(windows[r], parts))
                if (p.owner == rank)
                    go_.push_back(
                        message(static_cast<int>(r),
                                part_of(from_, axis, p.place - parts.before(rank), p.count)));
        }
        std::size_t pieces = 0;
        for (const std::vector<message>* const list : {&come_, &go_})
            for (const message& m : *list) pieces += m.packed.size() / longest + 1;
        requests_.reserve(pieces);
    }

    // Messages from one rank to another keep their order, which is that of the window on both.
    void run() override {
        requests_.clear();
        for (message& m : come_)
            for_each_piece(m.packed, [&](char* data, int count, MPI_Datatype type) {
                MPI_Irecv(data, count, type, m.other, 0, comm_, &requests_.emplace_back());
            });
        for (message& m : go_) {
            copy_elements(m.part, m.packed);
            for_each_piece(m.packed, [&](char* data, int count, MPI_Datatype type) {
                MPI_Isend(data, count, type, m.other, 0, comm_, &requests_.emplace_back());
            });
        }
        for (auto& [mine, there] : own_) copy_elements(mine, there);
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        for (message& m : come_) copy_elements(m.packed, m.part);
    }

private:
    struct message {
        message(int rank, const array& p) : other(rank), part(p), packed(p.type(), p.extents()) {}
        int other;
        array part, packed;
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
    std::vector<std::pair<array, array>> own_;
    std::vector<message> come_, go_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<collective> neighbours(MPI_Comm comm, const array& from, const array& to,
                                       std::size_t axis, const distribution& parts,
                                       const std::vector<window>& windows) {
    return std::make_unique<neighbouring>(comm, from, to, axis, parts, windows);
}

}  // namespace ricci::mpi
