// First trees: what annealing starts from. Each is near linear in the members of the network.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/random.hpp"

namespace ricci::path {

/// Products of single static assignment while a tree grows: the sorted indices of what is there.
class growing_tree {
public:
    explicit growing_tree(const core_network& network);

    const std::vector<std::int32_t>& indices_of(std::int32_t entry) const {
        return sets_[place(entry)];
    }
    /// What is left of both; the entry that is made.
    std::int32_t multiply(std::int32_t a, std::int32_t b);
    /// What these entries have without an index from now on, which no others have.
    void slice(std::int32_t index, const std::vector<std::int32_t>& entries);
    /// How many of the living entries have an index, one more where it is open.
    std::int32_t holders(std::int32_t index) const { return holders_[place(index)]; }
    /// Multiplies all of these, small ones first, and gives the last product.
    std::int32_t multiply_by_size(std::vector<std::int32_t> entries);
    double weight_of(std::int32_t entry) const { return size_[place(entry)]; }
    product_list take() { return std::move(products_); }

private:
    const core_network& network_;
    std::vector<std::vector<std::int32_t>> sets_;
    std::vector<double> size_;
    std::vector<std::int32_t> holders_;
    product_list products_;
};

/// Whether there is time left.
using keep_going = std::function<bool()>;

struct elimination_options {
    double noise = 0;       // keys times 1 + noise * u
    bool min_fill = false;  // by the pairs that are not neighbours yet: slow, often better
    /// log2 of elements: where every index left would make more, one is sliced instead. Only where
    /// slices are asked for.
    double limit = std::numeric_limits<double>::infinity();
};

/// Indices are eliminated, the least neighbourhood first, each with all that has it; empty where
/// time has run out.
product_list elimination_tree(const core_network& network, const elimination_options& options,
                              random_stream& random, const keep_going& go_on);

struct sliced_tree {
    product_list products;
    std::vector<char> sliced;  // of each index, whether it is
};

/// The same with indices sliced on the way, so that what eliminations make keeps within
/// `options.limit`. No products where time has run out.
sliced_tree sliced_elimination_tree(const core_network& network, const elimination_options& options,
                                    random_stream& random, const keep_going& go_on);

struct greedy_options {
    double size_weight = 1;  // of the two operands against the result
    double temperature = 0;
};

/// The pair whose product adds least to what is stored, and so on; empty where time has run out.
product_list greedy_tree(const core_network& network, const greedy_options& options,
                         random_stream& random, const keep_going& go_on);

/// Operands in an order: a front that takes up segments of neighbouring operands, which are
/// multiplied before, cut where it costs least.
product_list front_tree(const core_network& network, const std::vector<std::int32_t>& order);

/// Orders of operands in which a front stays small: candidates only.
std::vector<std::int32_t> order_by_indices(const core_network& network);
/// From an operand outwards, always what enlarges the front least; of equals the longest waiting.
std::vector<std::int32_t> order_by_front(const core_network& network, std::int32_t start);
/// The same along another order: `pull` (log2 of extents a place) is what being early there counts.
std::vector<std::int32_t> order_by_front(const core_network& network,
                                         const std::vector<std::int32_t>& order, double pull);
/// In breadth-first layers.
std::vector<std::int32_t> order_by_layers(const core_network& network, std::int32_t start);
/// Another order, with so many averages over neighbours: those of a site come together.
std::vector<std::int32_t> smoothed_order(const core_network& network,
                                         const std::vector<std::int32_t>& order, int steps);
/// Along the slowest mode of the network: neighbours are averaged over and over.
std::vector<std::int32_t> order_by_averages(const core_network& network);

}  // namespace ricci::path
