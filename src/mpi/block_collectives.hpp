// What ranks do together where results are reproducible: each has some blocks of an index, and
// what blocks have is folded by the tree of all blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/mpi/collectives.hpp"

namespace ricci::mpi {

/// Which rank has which blocks, and how many there are.
struct block_owners {
    distribution of_ranks;
    int rank = 0;

    int blocks() const { return static_cast<int>(of_ranks.total()); }
    int ranks() const { return static_cast<int>(of_ranks.counts.size()); }
    int first(int r) const { return static_cast<int>(of_ranks.before(r)); }
    int end(int r) const { return static_cast<int>(of_ranks.before(r + 1)); }
    int owner(int block) const {
        int r = 0;
        while (end(r) <= block) ++r;
        return r;
    }
};

// `from`, `to`: arrays of this rank's blocks, in their order, row-major; or one for all of them.

/// `to` = the fold of what all blocks have.
std::unique_ptr<collective> fold_blocks(const exchange_settings& s, const block_owners& who,
                                        const std::vector<array>& from, const array& to, fold how);
/// The same, of which each block gets its places of an axis.
std::unique_ptr<collective> fold_and_part_blocks(const exchange_settings& s,
                                                 const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to, std::size_t axis,
                                                 fold how, const distribution& places);
/// `to` = the parts of all blocks along an axis, one behind the other.
std::unique_ptr<collective> gather_blocks(const exchange_settings& s, const block_owners& who,
                                          const std::vector<array>& from, const array& to,
                                          std::size_t axis, const distribution& places);
/// Numbers as they are counted from each block's first place.
std::unique_ptr<collective> own_places_of_blocks(const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to,
                                                 const distribution& places);
/// Of each block its window of an axis of which blocks have parts.
std::unique_ptr<collective> neighbours_of_blocks(const exchange_settings& s,
                                                 const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to, std::size_t axis,
                                                 const distribution& places,
                                                 const std::vector<window>& windows);

}  // namespace ricci::mpi
