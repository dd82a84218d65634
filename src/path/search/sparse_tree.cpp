// A contraction tree of any size: sets of indices as sorted lists, and windows of it small enough
// for bit sets.
#include "src/path/search/sparse_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <queue>
#include <utility>

namespace ricci::path {

sparse_tree::sparse_tree(const core_network& network)
    : network_(network),
      operands_(network.operands()),
      nodes_(2 * place(std::max(operands_, 1)) - 1),
      sets_(nodes_.size()),
      sliced_(network.weight.size()),
      local_(network.weight.size()) {}

void sparse_tree::load(const product_list& products) {
    set_children(nodes_, operands_, products);
    fill();
}

void sparse_tree::load(const tree_shape& shape) {
    set_children(nodes_, shape);
    fill();
}

tree_shape sparse_tree::shape() const {
    tree_shape shape;
    get_children(nodes_, shape);
    return shape;
}

product_list sparse_tree::products() const { return products_of(nodes_, operands_); }

void sparse_tree::slice(const std::vector<char>& sliced) {
    sliced_ = sliced;
    fill();
}

void sparse_tree::set_price(const product_price& price) {
    price_ = price;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n) {
        node& own = nodes_[n];
        if (own.left < 0) continue;
        own.price = price_(own.product, nodes_[place(own.left)].size, nodes_[place(own.right)].size,
                           own.size);
    }
}

void sparse_tree::fill() {
    std::vector<std::int32_t> holders(network_.weight.size());
    for (std::size_t i = 0; i < holders.size(); ++i)
        holders[i] = network_.holder_first[i + 1] - network_.holder_first[i] + network_.open[i];
    for (std::int32_t t = 0; t < operands_; ++t) {
        auto& set = sets_[place(t)];
        set.clear();
        nodes_[place(t)].size = 0;
        for (const std::int32_t i : network_.indices_of(t)) {
            if (sliced_[place(i)] != 0) continue;
            set.push_back(i);
            nodes_[place(t)].size += network_.weight[place(i)];
        }
    }
    std::vector<std::int32_t> order;
    post_order(nodes_, operands_ < 2 ? -1 : root(), order);
    for (const std::int32_t number : order) {
        node& n = nodes_[place(number)];
        const auto &left = sets_[place(n.left)], &right = sets_[place(n.right)];
        auto& both = sets_[place(number)];
        both.clear();
        n.product = n.size = 0;
        const auto keep = [&](std::int32_t i) {
            both.push_back(i);
            n.size += network_.weight[place(i)];
        };
        std::size_t x = 0, y = 0;
        while (x < left.size() || y < right.size()) {
            std::int32_t i = 0;
            bool shared = false;
            if (y == right.size() || (x < left.size() && left[x] < right[y])) i = left[x++];
            else if (x == left.size() || right[y] < left[x]) i = right[y++];
            else i = left[x++], ++y, shared = true;
            n.product += network_.weight[place(i)];
            if (!shared || --holders[place(i)] > 1) keep(i);
        }
        n.span = nodes_[place(n.left)].span + nodes_[place(n.right)].span;
        n.price =
            price_(n.product, nodes_[place(n.left)].size, nodes_[place(n.right)].size, n.size);
    }
}

double sparse_tree::score() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        largest = std::max(largest, nodes_[n].price);
    if (operands_ < 2) return largest;
    double sum = 0;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        // What is far below the largest adds nothing.
        if (nodes_[n].price > largest - 60) sum += std::exp2(nodes_[n].price - largest);
    return largest + std::log2(sum);
}

double sparse_tree::largest() const {
    const bool results = price_.minimize == objective::largest_intermediate;
    double largest = 0;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        largest = std::max(largest, results ? nodes_[n].size : nodes_[n].product);
    return largest;
}

double sparse_tree::largest_result() const {
    double largest = 0;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        largest = std::max(largest, nodes_[n].size);
    return largest;
}

void sparse_tree::take_window(std::int32_t root, std::int32_t least_span, std::size_t most_products,
                              tree_window& window) {
    window.nodes.clear();
    window.pending.clear();
    window.shape.clear();
    if (nodes_[place(root)].left < 0 || nodes_[place(root)].span < least_span) return;
    std::vector<std::int32_t> inner, leaves;
    std::priority_queue<std::pair<std::int32_t, std::int32_t>> widest;
    widest.emplace(nodes_[place(root)].span, root);
    while (!widest.empty()) {
        const auto [span, n] = widest.top();
        widest.pop();
        const bool taken =
            nodes_[place(n)].left >= 0 && span >= least_span && inner.size() < most_products;
        (taken ? inner : leaves).push_back(n);
        if (!taken) {
            if (nodes_[place(n)].left >= 0 && span >= least_span) window.pending.push_back(n);
            continue;
        }
        for (const std::int32_t child : {nodes_[place(n)].left, nodes_[place(n)].right})
            widest.emplace(nodes_[place(child)].span, child);
    }
    // Operands come first, the root is the last node.
    window.nodes = leaves;
    window.nodes.insert(window.nodes.end(), inner.rbegin(), inner.rend());
    window.shape.assign(window.nodes.size(), {-1, -1});
    number_indices(window, leaves.size());
}

void sparse_tree::number_indices(tree_window& window, std::size_t leaves) {
    core_network& own = window.network;
    own.first.assign(1, 0);
    own.members.clear();
    window_indices_.clear();
    for (std::size_t l = 0; l < leaves; ++l)
        for (const std::int32_t i : sets_[place(window.nodes[l])]) local_[place(i)] = -1;
    for (std::size_t l = 0; l < leaves; ++l)
        for (const std::int32_t i : sets_[place(window.nodes[l])])
            if (local_[place(i)] < 0) {
                local_[place(i)] = 0;
                window_indices_.push_back(i);
            }
    std::sort(window_indices_.begin(), window_indices_.end());
    own.weight.clear();
    for (std::size_t k = 0; k < window_indices_.size(); ++k) {
        local_[place(window_indices_[k])] = static_cast<std::int32_t>(k);
        own.weight.push_back(network_.weight[place(window_indices_[k])]);
    }
    own.open.assign(window_indices_.size(), 0);
    for (const std::int32_t i : sets_[place(window.nodes.back())])
        own.open[place(local_[place(i)])] = 1;
    own.origin = window_indices_;
    for (std::size_t l = 0; l < leaves; ++l) {
        for (const std::int32_t i : sets_[place(window.nodes[l])])
            own.members.push_back(local_[place(i)]);
        own.first.push_back(static_cast<std::int32_t>(own.members.size()));
    }
    // The children by the window's numbers.
    std::vector<std::pair<std::int32_t, std::int32_t>> numbers;
    for (std::size_t k = 0; k < window.nodes.size(); ++k)
        numbers.emplace_back(window.nodes[k], static_cast<std::int32_t>(k));
    std::sort(numbers.begin(), numbers.end());
    const auto number_of = [&](std::int32_t n) {
        return std::lower_bound(numbers.begin(), numbers.end(), std::pair(n, std::int32_t{0}))
            ->second;
    };
    for (std::size_t k = leaves; k < window.nodes.size(); ++k) {
        const node& n = nodes_[place(window.nodes[k])];
        window.shape[k] = {number_of(n.left), number_of(n.right)};
    }
}

void sparse_tree::put_back(const tree_window& window, const tree_annealer& annealed) {
    const auto& own = annealed.nodes();
    const auto leaves = place(annealed.operands());
    std::vector<std::int32_t> index_of_bit(annealed.weights().words * 64);
    for (std::size_t i = 0; i < window.network.weight.size(); ++i)
        index_of_bit[place(annealed.bit_of(static_cast<std::int32_t>(i)))] =
            window.network.origin[i];
    for (std::size_t k = leaves; k < own.size(); ++k) {
        node& n = nodes_[place(window.nodes[k])];
        n.left = window.nodes[place(own[k].left)];
        n.right = window.nodes[place(own[k].right)];
        n.size = static_cast<double>(own[k].size) * weight_unit;
        n.product = static_cast<double>(own[k].product) * weight_unit;
        if (k + 1 == own.size()) continue;
        auto& set = sets_[place(window.nodes[k])];
        set.clear();
        const std::uint64_t* const bits = annealed.set_of(static_cast<std::int32_t>(k));
        for (std::size_t w = 0; w < annealed.weights().words; ++w)
            for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
                set.push_back(
                    index_of_bit[w * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
        if (!std::is_sorted(set.begin(), set.end())) std::sort(set.begin(), set.end());
    }
    // Prices and spans, children first: a child's number may be larger than its parent's.
    std::vector<std::int32_t> order;
    post_order(own, static_cast<std::int32_t>(own.size()) - 1, order);
    for (const std::int32_t k : order) {
        node& n = nodes_[place(window.nodes[place(k)])];
        n.span = nodes_[place(n.left)].span + nodes_[place(n.right)].span;
        n.price =
            price_(n.product, nodes_[place(n.left)].size, nodes_[place(n.right)].size, n.size);
    }
}

}  // namespace ricci::path
