// The best order of a whole network that a search has come by.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/path/search.hpp"
#include "src/path/search/core_network.hpp"

namespace ricci::path {

/// Without a limit the search goes on from its best order, and the latest is the best. With one,
/// orders are compared with their slices: a tree that is better without them may be far worse with
/// them.
class best_order {
public:
    /// `scalars`: operands without indices, which products leave out. Both are looked at while this
    /// lives.
    best_order(const hypergraph& network, const search_options& options,
               std::vector<std::int32_t> scalars)
        : network_(network), options_(options), scalars_(std::move(scalars)) {}

    bool is_limited() const { return std::isfinite(options_.largest); }
    /// Slices these products as far as the limit takes, flagged indices first, and keeps the order
    /// where it is the best. With a limit it gives log2 of what orders are compared by. Throws
    /// ricci::error where no slices suffice.
    double consider(const product_list& products, const std::vector<char>& worth_slicing);
    /// Keeps an order within the limit, which there has to be, where it is the best.
    void consider(order_found order);
    double objective() const { return objective_; }
    bool is_sliced() const { return !found_.slices.empty(); }
    order_found take() { return std::move(found_); }

private:
    const hypergraph& network_;
    const search_options& options_;
    std::vector<std::int32_t> scalars_;
    order_found found_;
    double objective_ = std::numeric_limits<double>::infinity();  // log2
};

}  // namespace ricci::path
