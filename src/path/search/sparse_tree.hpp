// A contraction tree of any size: sets of indices as sorted lists, and windows of it small enough
// for bit sets.
#pragma once

#include <cstdint>
#include <vector>

#include "src/path/search/annealer.hpp"
#include "src/path/search/core_network.hpp"
#include "src/path/search/score.hpp"

namespace ricci::path {

/// A connected part of a tree as a network of its own: what is below it are its operands.
struct tree_window {
    core_network network;
    tree_shape shape;
    std::vector<std::int32_t> nodes;    // of the whole tree, by the window's numbers
    std::vector<std::int32_t> pending;  // operands of the window that windows may be made of
};

class sparse_tree {
public:
    /// The network is looked at while this lives.
    explicit sparse_tree(const core_network& network);

    void load(const product_list& products);
    void load(const tree_shape& shape);
    tree_shape shape() const;
    product_list products() const;

    /// Indices that count for nothing; loads the tree again.
    void slice(const std::vector<char>& sliced);
    void set_price(const product_price& price);
    const product_price& price() const { return price_; }

    /// log2 of the sum of all prices.
    double score() const;
    /// log2 of the largest result where results are to be small, otherwise of the largest product.
    double largest() const;
    double largest_result() const;

    std::int32_t operands() const { return operands_; }
    std::int32_t root() const { return 2 * operands_ - 2; }

    /// The part below `root` with the largest spans, at most so many products, none of fewer
    /// operands than `least_span`. Below two operands: an empty window.
    void take_window(std::int32_t root, std::int32_t least_span, std::size_t most_products,
                     tree_window& window);
    /// The tree with the window as the annealer has it.
    void put_back(const tree_window& window, const tree_annealer& annealed);

private:
    struct node {
        std::int32_t left = -1, right = -1, span = 1;
        double size = 0, product = 0, price = 0;  // log2
    };

    void fill();
    void number_indices(tree_window& window, std::size_t leaves);

    const core_network& network_;
    product_price price_;
    std::int32_t operands_;
    std::vector<node> nodes_;
    std::vector<std::vector<std::int32_t>> sets_;
    std::vector<char> sliced_;
    std::vector<std::int32_t> local_;  // the number of an index in the window at hand
    std::vector<std::int32_t> window_indices_;
};

}  // namespace ricci::path
