// Which ranges of a network's sliced indices are carried out together, by one rank.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/network.hpp>

namespace ricci::mpi {

/// Places [before, before + count) of an index.
struct index_range {
    std::int64_t index = 0, before = 0, count = 0;
};

/// The first of an order's sliced indices are cut outside: each combination of their ranges is a
/// part, a network of its own, whose order slices the other ones. Parts that are added up are
/// blocks. How many there are is a matter of the network and its order alone, so that the same
/// numbers are added up in the same order whoever computes them.
class slice_blocks {
public:
    slice_blocks(const network& n, const contraction_order& order);

    std::int64_t count() const { return slabs_ * blocks_of_slab_; }
    /// Blocks of one slab are added up to one part of the result.
    std::int64_t slab_of(std::int64_t block) const { return block / blocks_of_slab_; }
    bool begins_slab(std::int64_t block) const { return block % blocks_of_slab_ == 0; }
    bool ends_slab(std::int64_t block) const {
        return block % blocks_of_slab_ == blocks_of_slab_ - 1;
    }
    std::int64_t first_part(std::int64_t block) const;
    std::int64_t end_part(std::int64_t block) const;

    /// Of the indices that are cut outside; those that the result has come first.
    std::vector<index_range> ranges(std::int64_t part) const;
    std::vector<index_range> kept_ranges(std::int64_t slab) const;
    /// Of every part's order.
    const std::vector<sliced_index>& inside() const { return inside_; }

private:
    struct digit {
        sliced_index cut;
        std::int64_t extent = 0;
    };
    std::vector<index_range> ranges_of(const std::vector<digit>& digits, std::int64_t place) const;

    std::vector<digit> kept_, summed_;
    std::vector<sliced_index> inside_;
    std::int64_t slabs_ = 1, parts_of_slab_ = 1, blocks_of_slab_ = 1, parts_of_block_ = 1;
};

/// Part of a network: its tensors are looked at, not copied.
network part_of(const network& n, const std::vector<index_range>& ranges);

}  // namespace ricci::mpi
