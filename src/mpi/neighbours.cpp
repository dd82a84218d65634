// Places of an axis that other ranks have, from each to each that reads them.
#include <cstddef>
#include <vector>

#include "src/mpi/collectives.hpp"
#include "src/mpi/messages.hpp"

namespace ricci::mpi {
namespace {

// Messages from one rank to another keep their order, which is that of the window on both.
class neighbouring final : public collective {
public:
    neighbouring(const exchange_settings& s, const array& from, const array& to, std::size_t axis,
                 const distribution& parts, const std::vector<window>& windows)
        : messages_(s.comm, s.tag, s.longest_bytes) {
        int rank = 0;
        MPI_Comm_rank(s.comm, &rank);
        const auto me = static_cast<std::size_t>(rank);
        const auto mine = [&](const window_part& p) {
            return part_of(from, axis, p.place - parts.before(rank), p.count);
        };
        for (const window_part& p : window_parts(windows[me], parts)) {
            const array there = part_of(to, axis, p.at, p.count);
            if (p.owner != rank) messages_.receive(p.owner, there);
            else messages_.copy(mine(p), there);
        }
        for (std::size_t r = 0; r < windows.size(); ++r) {
            if (r == me) continue;
            for (const window_part& p : window_parts(windows[r], parts))
                if (p.owner == rank) messages_.send(static_cast<int>(r), mine(p));
        }
    }

    void start() override { messages_.start(); }
    void poll() override { messages_.poll(); }
    void finish() override { messages_.finish(); }

private:
    messages messages_;
};

}  // namespace

std::unique_ptr<collective> neighbours(const exchange_settings& s, const array& from,
                                       const array& to, std::size_t axis, const distribution& parts,
                                       const std::vector<window>& windows) {
    return std::make_unique<neighbouring>(s, from, to, axis, parts, windows);
}

}  // namespace ricci::mpi
