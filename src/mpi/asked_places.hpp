// Places that numbers say, of an axis of which each rank has some: whose they are, what ranks ask
// each other for, and what they send each other there.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ricci/array.hpp>

#include "src/mpi/collectives.hpp"
#include "src/placement/distribution.hpp"

namespace ricci::mpi {

/// `to` = `from`, counted from this rank's first place; -1 where another rank has the place. What
/// is no place stays none, and below 0 is one less.
std::unique_ptr<collective> own_places(int rank, const array& from, const array& to,
                                       const distribution& parts);

/// `to` = `from`, counted among the different places that this rank's numbers say, in ascending
/// order, so that those of one rank lie side by side; what is no place of the axis stays as it is.
/// The others learn which of their places are asked for.
class asked_places final : public collective {
public:
    asked_places(MPI_Comm comm, const array& from, const array& to, const distribution& parts);
    void start() override;
    std::int64_t sent() const override { return sent_; }

    MPI_Comm comm() const { return comm_; }
    std::size_t rank() const { return me_; }
    std::size_t ranks() const { return mine_.counts.size(); }

    /// By rank, how many places, and behind how many others.
    struct segments {
        std::vector<int> counts, first;
        std::size_t total() const {
            return static_cast<std::size_t>(first.back()) + static_cast<std::size_t>(counts.back());
        }
    };
    /// What this rank asks for, by who has it: its own ones, too.
    const segments& mine() const { return mine_; }
    const std::vector<std::int64_t>& own() const { return places_; }
    /// What others ask for, by who asks, but this rank itself; as places of this rank.
    const segments& others() const { return others_; }
    const std::vector<std::int64_t>& asked() const { return asked_; }
    /// What goes to others of `mine`.
    const std::vector<int>& sent_counts() const { return sent_counts_; }

private:
    void renumber();
    void find_owners();

    MPI_Comm comm_;
    array from_, to_, packed_;
    distribution parts_;
    std::size_t me_ = 0;
    std::vector<std::int64_t> numbers_, last_;  // of this run, and of the last one
    std::vector<std::size_t> order_;            // of numbers, by size
    std::vector<std::int64_t> places_;          // that are asked for, of those who have them
    std::vector<std::int64_t> asked_;
    segments mine_, others_;
    std::vector<int> sent_counts_;
    bool is_fresh_ = true;
    std::int64_t sent_ = -1;
};

/// `to` = the places of an axis of `from`, of which each rank has a part, that have been asked for.
std::unique_ptr<collective> asked_rows(std::shared_ptr<const asked_places> places,
                                       const array& from, const array& to, std::size_t axis);
/// `to` = the sums of what ranks have in `from` at the places that they have asked for; the axis is
/// the first one of both. They are added up in the order of the ranks.
std::unique_ptr<collective> sums_at_asked(std::shared_ptr<const asked_places> places,
                                          const array& from, const array& to);
/// `to` = the same of what ranks have in `from` at their windows.
std::unique_ptr<collective> sums_at_neighbours(MPI_Comm comm, const array& from, const array& to,
                                               const distribution& parts,
                                               const std::vector<window>& windows);

}  // namespace ricci::mpi
