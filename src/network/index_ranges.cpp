#include "src/network/index_ranges.hpp"

#include <utility>

namespace ricci::networks {

std::vector<std::vector<range_loop>> ranges_of(std::span<const path::slice> slices,
                                               std::span<const std::size_t> extents) {
    std::vector<std::vector<range_loop>> all{{}};
    for (const path::slice& s : slices) {
        const auto extent = static_cast<std::int64_t>(extents[static_cast<std::size_t>(s.index)]);
        if (s.parts <= 1 || extent <= 1) continue;
        const std::int64_t width = s.width(extent);
        const std::int64_t full = extent / width, rest = extent % width;
        std::vector<std::vector<range_loop>> more;
        for (const auto& loops : all) {
            more.push_back(loops);
            more.back().push_back({s.index, 0, width, full});
            if (rest == 0) continue;
            more.push_back(loops);
            more.back().push_back({s.index, full * width, rest, 1});
        }
        all = std::move(more);
    }
    return all;
}

}  // namespace ricci::networks
