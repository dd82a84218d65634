// Where the indices of a tree are: which nodes a slice of one changes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/path/search/annealer.hpp"

namespace ricci::path {

/// Walks from the operands that have an index upwards to where they meet: near linear in what it
/// finds, however large the tree is.
class index_finder {
public:
    /// The tree is looked at while this lives.
    explicit index_finder(const tree_annealer& tree);

    /// To be told after the tree's shape has changed. Slices make no difference.
    void look();
    /// Fills `places`, and gives them.
    const index_places& find(std::int32_t index, index_places& places);

private:
    const tree_annealer& tree_;
    std::vector<std::int32_t> parent_;
    std::vector<std::pair<std::int32_t, std::int32_t>> climbing_;  // spans and nodes
};

}  // namespace ricci::path
