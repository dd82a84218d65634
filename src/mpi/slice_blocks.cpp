// Which passes over a network's sliced indices are carried out together, by one rank.
#include "src/mpi/slice_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "src/mpi/collectives.hpp"
#include "src/placement/distribution.hpp"

namespace ricci::mpi {
namespace {

// Enough for ranks that are not equally fast to end at about the same time.
constexpr double many_blocks = 256, few_blocks = 16;
// Of the results of all blocks together.
constexpr double most_bytes = 1 << 30;

double result_bytes(const network& n) {
    double bytes = static_cast<double>(size_of(n.type()));
    for (const std::int64_t i : n.kept()) bytes *= static_cast<double>(n.extent(i));
    return bytes;
}

}  // namespace

slice_blocks::slice_blocks(const network& n, const contraction_order& order) {
    const auto kept = n.kept();
    for (const sliced_index& s : order.sliced()) {
        const bool is_kept = std::find(kept.begin(), kept.end(), s.index) != kept.end();
        if (!is_kept || static_cast<double>(slabs_) >= many_blocks) {
            inside_.push_back(s);
            continue;
        }
        kept_.push_back({s, static_cast<std::int64_t>(n.extent(s.index))});
        slabs_ *= s.parts;
    }
    that_fit_ = std::clamp(most_bytes / std::max(result_bytes(n), 1.0), few_blocks, many_blocks);
}

void slice_blocks::share_out(std::int64_t passes) {
    const double of_slab = std::ceil(that_fit_ / static_cast<double>(slabs_));
    blocks_of_slab_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(of_slab), 1, passes);
}

std::pair<std::int64_t, std::int64_t> slice_blocks::passes(std::int64_t block,
                                                           std::int64_t count) const {
    const distribution parts = balanced(count, static_cast<int>(blocks_of_slab_));
    const int k = static_cast<int>(block % blocks_of_slab_);
    return {parts.before(k), parts.before(k) + parts.of(k)};
}

// Ranges are as long as each other, or one place longer, the longer ones first.
std::vector<index_range> slice_blocks::kept_ranges(std::int64_t slab) const {
    std::vector<index_range> ranges;
    for (auto d = kept_.rbegin(); d != kept_.rend(); ++d) {
        const std::int64_t parts = d->cut.parts, k = slab % parts;
        const std::int64_t least = d->extent / parts, longer = d->extent % parts;
        ranges.push_back(
            {d->cut.index, k * least + std::min(k, longer), least + (k < longer ? 1 : 0)});
        slab /= parts;
    }
    std::reverse(ranges.begin(), ranges.end());
    return ranges;
}

claims::claims(std::int64_t blocks, int ranks) {
    for (std::int64_t left = blocks; left > 0;) {
        const std::int64_t mine = std::max<std::int64_t>(1, left / (2 * ranks));
        left -= mine;
        begins_.push_back(blocks - left);
    }
}

network part_of(const network& n, const std::vector<index_range>& ranges) {
    network part;
    for (std::size_t k = 0; k < n.size(); ++k) {
        array a = n.operand(k);
        const auto indices = n.indices(k);
        for (std::size_t axis = 0; axis < indices.size(); ++axis)
            for (const index_range& r : ranges)
                if (r.index == indices[axis]) a = part_of(a, axis, r.before, r.count);
        if (n.is_conjugate(k)) part.add_conjugate(std::move(a), indices);
        else part.add(std::move(a), indices);
    }
    part.keep(n.kept());
    return part;
}

}  // namespace ricci::mpi
