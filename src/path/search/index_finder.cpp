// Where the indices of a tree are: which nodes a slice of one changes.
#include "src/path/search/index_finder.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace ricci::path {

index_finder::index_finder(const tree_annealer& tree)
    : tree_(tree), parent_(tree.nodes().size(), -1) {
    look();
}

void index_finder::look() {
    const auto& nodes = tree_.nodes();
    for (std::size_t n = place(tree_.operands()); n < nodes.size(); ++n)
        parent_[place(nodes[n].left)] = parent_[place(nodes[n].right)] =
            static_cast<std::int32_t>(n);
}

// Those with the fewest operands below first, until all have met.
const index_places& index_finder::find(std::int32_t index, index_places& places) {
    const auto& nodes = tree_.nodes();
    places.index = index;
    places.results.clear();
    places.products.clear();
    climbing_.clear();
    const bool open = tree_.network().open[place(index)] != 0;
    for (const std::int32_t t : tree_.network().holders_of(index)) climbing_.emplace_back(1, t);
    const auto later = std::greater<>();
    std::make_heap(climbing_.begin(), climbing_.end(), later);
    while (!climbing_.empty()) {
        const std::int32_t n = climbing_.front().second;
        while (!climbing_.empty() && climbing_.front().second == n) {
            std::pop_heap(climbing_.begin(), climbing_.end(), later);
            climbing_.pop_back();
        }
        if (nodes[place(n)].left >= 0) places.products.push_back(n);
        if (climbing_.empty() && !open) break;
        places.results.push_back(n);
        const std::int32_t up = parent_[place(n)];
        if (n == tree_.root()) break;
        climbing_.emplace_back(nodes[place(up)].span, up);
        std::push_heap(climbing_.begin(), climbing_.end(), later);
    }
    return places;
}

}  // namespace ricci::path
