// The tree in which blocks are folded.
#include "src/mpi/block_tree.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/mpi/folds.hpp"

namespace ricci::mpi {
namespace {

constexpr std::size_t folded_at_a_time = 1024;  // elements: they stay in the first cache

void add_nodes(const tree_node& node, int first, int end, std::vector<tree_node>& to) {
    if (end <= node.first || node.end <= first) return;
    if (first <= node.first && node.end <= end) return to.push_back(node);
    add_nodes({node.first, node.middle()}, first, end, to);
    add_nodes({node.middle(), node.end}, first, end, to);
}

std::size_t depth_of(int blocks) {
    std::size_t depth = 1;
    for (; blocks > 1; blocks = (blocks + 1) / 2) ++depth;
    return depth;
}

}  // namespace

std::vector<tree_node> nodes_within(int blocks, int first, int end) {
    std::vector<tree_node> all;
    if (first < end) add_nodes({0, blocks}, first, end, all);
    return all;
}

tree_fold::tree_fold(tree_node root, std::vector<known> parts, fold how)
    : root_(root), parts_(std::move(parts)), how_(how) {
    const std::size_t bytes = folded_at_a_time * size_of(parts_.front().values.type());
    scratch_.assign(depth_of(root.end - root.first), std::vector<char>(bytes));
}

void tree_fold::run(array& to) {
    const std::size_t size = size_of(to.type());
    char* const first = static_cast<char*>(to.data());
    for (std::size_t at = 0; at < to.size(); at += folded_at_a_time)
        run(root_, 0, at, std::min(folded_at_a_time, to.size() - at), first + at * size);
}

// The elements [at, at + count) of a node.
void tree_fold::run(tree_node node, std::size_t depth, std::size_t at, std::size_t count,
                    char* to) {
    if (const array* const values = find(node)) {
        const std::size_t size = size_of(values->type());
        std::memcpy(to, static_cast<const char*>(values->data()) + at * size, count * size);
        return;
    }
    char* const left = scratch_[depth].data();
    run({node.first, node.middle()}, depth + 1, at, count, left);
    run({node.middle(), node.end}, depth + 1, at, count, to);
    fold_elements(parts_.front().values.type(), how_, left, to, count);
}

const array* tree_fold::find(const tree_node& node) const {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [&](const known& k) { return k.node == node; });
    return found == parts_.end() ? nullptr : &found->values;
}

}  // namespace ricci::mpi
