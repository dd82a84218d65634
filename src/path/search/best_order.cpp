// The best order of a whole network that a search has come by.
#include "src/path/search/best_order.hpp"

#include "src/path/search/ranges.hpp"

namespace ricci::path {

double best_order::consider(const product_list& products, const std::vector<char>& worth_slicing) {
    order_found order;
    order.products = with_scalars(network_, products, scalars_);
    double reached = objective_;
    if (is_limited()) {
        cut_to_limit(network_, options_.largest, worth_slicing, order);
        reached = log2_objective_of(network_, order, options_.minimize, options_.traffic_weight);
        if (!found_.products.empty() && reached > objective_) return reached;
        objective_ = reached;
    }
    found_ = std::move(order);
    return reached;
}

void best_order::consider(order_found order) {
    const double reached =
        log2_objective_of(network_, order, options_.minimize, options_.traffic_weight);
    if (reached > objective_) return;
    objective_ = reached;
    found_ = std::move(order);
}

}  // namespace ricci::path
