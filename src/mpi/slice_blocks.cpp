// Which ranges of a network's sliced indices are carried out together, by one rank.
#include "src/mpi/slice_blocks.hpp"

#include <algorithm>

#include "src/mpi/collectives.hpp"

namespace ricci::mpi {
namespace {

// Enough for ranks that are not equally fast to end at about the same time.
constexpr std::int64_t many_blocks = 256, few_blocks = 16;
// Of the results of all blocks together.
constexpr double most_bytes = 1 << 30;

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double result_bytes(const network& n) {
    double bytes = static_cast<double>(size_of(n.type()));
    for (const std::int64_t i : n.kept()) bytes *= static_cast<double>(n.extent(i));
    return bytes;
}

}  // namespace

slice_blocks::slice_blocks(const network& n, const contraction_order& order) {
    const auto kept = n.kept();
    for (const sliced_index& s : order.sliced()) {
        if (slabs_ * parts_of_slab_ >= many_blocks) {
            inside_.push_back(s);
            continue;
        }
        const bool is_kept = std::find(kept.begin(), kept.end(), s.index) != kept.end();
        (is_kept ? kept_ : summed_).push_back({s, static_cast<std::int64_t>(n.extent(s.index))});
        (is_kept ? slabs_ : parts_of_slab_) *= s.parts;
    }
    const double that_fit = most_bytes / std::max(result_bytes(n), 1.0);
    const auto fit = static_cast<std::int64_t>(
        std::clamp(that_fit, static_cast<double>(few_blocks), static_cast<double>(many_blocks)));
    parts_of_block_ = ceiling(parts_of_slab_, fit);
    blocks_of_slab_ = ceiling(parts_of_slab_, parts_of_block_);
}

std::int64_t slice_blocks::first_part(std::int64_t block) const {
    return slab_of(block) * parts_of_slab_ + block % blocks_of_slab_ * parts_of_block_;
}
std::int64_t slice_blocks::end_part(std::int64_t block) const {
    return std::min(first_part(block) + parts_of_block_, (slab_of(block) + 1) * parts_of_slab_);
}

// Ranges are as long as each other, or one place longer, the longer ones first: so that what is
// planned for one of them suits the next.
std::vector<index_range> slice_blocks::ranges_of(const std::vector<digit>& digits,
                                                 std::int64_t place) const {
    std::vector<index_range> ranges;
    for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
        const std::int64_t parts = d->cut.parts, k = place % parts;
        const std::int64_t least = d->extent / parts, longer = d->extent % parts;
        ranges.push_back(
            {d->cut.index, k * least + std::min(k, longer), least + (k < longer ? 1 : 0)});
        place /= parts;
    }
    std::reverse(ranges.begin(), ranges.end());
    return ranges;
}

std::vector<index_range> slice_blocks::kept_ranges(std::int64_t slab) const {
    return ranges_of(kept_, slab);
}
std::vector<index_range> slice_blocks::ranges(std::int64_t part) const {
    auto all = kept_ranges(part / parts_of_slab_);
    for (const index_range& r : ranges_of(summed_, part % parts_of_slab_)) all.push_back(r);
    return all;
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
