// How the places of an axis are shared out over ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace ricci::mpi {

/// Rank r has counts[r] places, one rank's behind those of the rank before.
struct distribution {
    std::vector<std::int64_t> counts;

    std::int64_t total() const {
        return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    }
    std::int64_t of(int rank) const { return counts[static_cast<std::size_t>(rank)]; }
    std::int64_t before(int rank) const {
        return std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    }
    std::int64_t most() const { return *std::max_element(counts.begin(), counts.end()); }
    friend bool operator==(const distribution&, const distribution&) = default;
};

/// Where the caller does not say it: the first ranks have one place more than the others.
inline distribution balanced(std::int64_t total, int ranks) {
    distribution d;
    for (int r = 0; r < ranks; ++r) d.counts.push_back(total / ranks + (r < total % ranks ? 1 : 0));
    return d;
}

/// Where results are to be the same bits on any number of ranks, an axis is computed in so many
/// blocks, and each rank has whole ones.
inline distribution parts_of_blocks(std::int64_t total, int ranks, int blocks) {
    const distribution owned = balanced(blocks, ranks), places = balanced(total, blocks);
    distribution d;
    int first = 0;
    for (const std::int64_t count : owned.counts) {
        const int end = first + static_cast<int>(count);
        d.counts.push_back(places.before(end) - places.before(first));
        first = end;
    }
    return d;
}

/// Who this is among how many, and how axes are shared out. Axes that are as long as each other lie
/// alike, so that what has been shared out for one tensor fits all others.
struct sharing {
    int rank = 0;
    int ranks = 1;
    int blocks = 0;  // of which each rank has whole ones; 0: places are shared out as they are
    std::map<std::int64_t, distribution> by_extent;

    const distribution& of(std::int64_t extent) {
        const auto found = by_extent.find(extent);
        if (found != by_extent.end()) return found->second;
        const distribution even =
            blocks > 0 ? parts_of_blocks(extent, ranks, blocks) : balanced(extent, ranks);
        return by_extent.emplace(extent, even).first->second;
    }
};

}  // namespace ricci::mpi
