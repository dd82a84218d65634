// Which passes over a network's sliced indices are carried out together, by one rank.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

namespace ricci::mpi {

/// Places [before, before + count) of an index.
struct index_range {
    std::int64_t index = 0, before = 0, count = 0;
};

/// Sliced indices that the result has are cut outside: each combination of their ranges is a slab,
/// a network of its own, which gives a part of the result. The passes over the other ones are cut
/// into blocks, which are added up. How many there are is a matter of the network and its order
/// alone, so that the same numbers are added up in the same order whoever computes them.
class slice_blocks {
public:
    slice_blocks(const network& n, const contraction_order& order);
    /// How many passes a slab has decides how many blocks there are.
    void share_out(std::int64_t passes);

    std::int64_t count() const { return slabs_ * blocks_of_slab_; }
    std::int64_t slab_of(std::int64_t block) const { return block / blocks_of_slab_; }
    bool begins_slab(std::int64_t block) const { return block % blocks_of_slab_ == 0; }
    bool ends_slab(std::int64_t block) const {
        return block % blocks_of_slab_ == blocks_of_slab_ - 1;
    }
    /// Of a slab with so many passes, where those of a block begin and end.
    std::pair<std::int64_t, std::int64_t> passes(std::int64_t block, std::int64_t count) const;

    /// Of the indices that are cut outside.
    std::vector<index_range> kept_ranges(std::int64_t slab) const;
    /// Of every slab's order.
    const std::vector<sliced_index>& inside() const { return inside_; }

private:
    struct digit {
        sliced_index cut;
        std::int64_t extent = 0;
    };
    std::vector<digit> kept_;
    std::vector<sliced_index> inside_;
    std::int64_t slabs_ = 1, blocks_of_slab_ = 1;
    double that_fit_ = 1;  // blocks
};

/// Blocks in a row that a rank takes at a time, of so many: half of what would be its share of
/// those that are left, so that few are asked for, neighbours have much in common, and all ranks
/// end at about the same time. The same list on every rank.
class claims {
public:
    claims(std::int64_t blocks, int ranks);
    std::int64_t count() const { return static_cast<std::int64_t>(begins_.size()) - 1; }
    /// Where a claim begins; of the one behind the last one where all end.
    std::int64_t begin(std::int64_t claim) const {
        return begins_[static_cast<std::size_t>(claim)];
    }

private:
    std::vector<std::int64_t> begins_{0};
};

/// Part of a network: its tensors are looked at, not copied.
network part_of(const network& n, const std::vector<index_range>& ranges);

}  // namespace ricci::mpi
