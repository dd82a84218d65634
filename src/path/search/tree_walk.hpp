// Walks through contraction trees that are arrays of nodes: operands first, each with a left and a
// right child, -1 for operands; the root is the last node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/path/search/core_network.hpp"

namespace ricci::path {

/// The children of every node of a tree, -1 for operands; what a tree is remembered as.
using tree_shape = std::vector<std::array<std::int32_t, 2>>;

/// The inner nodes below `root` and itself, each after those below it: whatever their numbers are.
/// `order` is written over.
template <class Node>
void post_order(const std::vector<Node>& nodes, std::int32_t root,
                std::vector<std::int32_t>& order) {
    order.clear();
    if (root < 0 || nodes[place(root)].left < 0) return;
    // Each node before what is below it, until the list is turned round.
    std::vector<std::int32_t> waiting{root};
    while (!waiting.empty()) {
        const std::int32_t n = waiting.back();
        waiting.pop_back();
        order.push_back(n);
        for (const std::int32_t child : {nodes[place(n)].left, nodes[place(n)].right})
            if (nodes[place(child)].left >= 0) waiting.push_back(child);
    }
    std::reverse(order.begin(), order.end());
}

template <class Node>
void set_children(std::vector<Node>& nodes, std::int32_t operands, const product_list& products) {
    for (std::size_t k = 0; k < products.size(); ++k) {
        Node& n = nodes[place(operands) + k];
        n.left = products[k].first, n.right = products[k].second;
    }
}

template <class Node>
void set_children(std::vector<Node>& nodes, const tree_shape& shape) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
        nodes[n].left = shape[n][0], nodes[n].right = shape[n][1];
}

template <class Node>
void get_children(const std::vector<Node>& nodes, tree_shape& shape) {
    shape.resize(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) shape[n] = {nodes[n].left, nodes[n].right};
}

/// The products of a whole tree, numbered as they are made.
template <class Node>
product_list products_of(const std::vector<Node>& nodes, std::int32_t operands) {
    product_list products;
    if (operands < 2) return products;
    std::vector<std::int32_t> number(nodes.size()), order;
    for (std::int32_t t = 0; t < operands; ++t) number[place(t)] = t;
    post_order(nodes, 2 * operands - 2, order);
    products.reserve(order.size());
    for (const std::int32_t n : order) {
        products.emplace_back(number[place(nodes[place(n)].left)],
                              number[place(nodes[place(n)].right)]);
        number[place(n)] = operands + static_cast<std::int32_t>(products.size()) - 1;
    }
    return products;
}

}  // namespace ricci::path
