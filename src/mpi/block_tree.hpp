// The tree in which blocks are folded: it depends on how many blocks there are, and on nothing
// else.
#pragma once

#include <cstddef>
#include <vector>

#include <ricci/array.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// The blocks [first, end); of more than one, those of two halves, the first one the longer.
struct tree_node {
    int first = 0, end = 0;
    bool is_leaf() const { return end - first == 1; }
    int middle() const { return first + (end - first + 1) / 2; }
    friend bool operator==(const tree_node&, const tree_node&) = default;
};

/// The largest nodes of the tree of so many blocks that lie within [first, end), in order.
std::vector<tree_node> nodes_within(int blocks, int first, int end);

/// The fold of a node's elements from those of nodes below it, in the order of the tree: the same
/// bits whichever nodes these are, and whichever elements are folded at a time.
class tree_fold {
public:
    /// Row-major arrays of one size, which tile the tree below `root`.
    struct known {
        tree_node node;
        array values;
    };
    tree_fold(tree_node root, std::vector<known> parts, fold how);
    /// `to` has as many elements. Allocates nothing.
    void run(array& to);

private:
    void run(tree_node node, std::size_t depth, std::size_t at, std::size_t count, char* to);
    const array* find(const tree_node& node) const;

    tree_node root_;
    std::vector<known> parts_;
    fold how_;
    std::vector<std::vector<char>> scratch_;  // by depth
};

}  // namespace ricci::mpi
