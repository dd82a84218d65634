// Among orders of nearly the same price the one that moves less: parts of the tree made anew, with
// what they read and write beside what they multiply.
#include <algorithm>
#include <cmath>

#include "src/path/search.hpp"
#include "src/path/search/annealer.hpp"
#include "src/path/search/core_network.hpp"
#include "src/path/search/subtrees.hpp"

namespace ricci::path {
namespace {

// An element that is moved counts as much as one that is multiplied: it takes a core longer, but
// what is asked for are few multiplications.
constexpr double weight_of_traffic = 1;
// log2 of how many more there may be: a hundredth.
constexpr double most_more = 0.0144;
// Parts of more operands take long, and gain little more.
constexpr std::size_t operands_of_part = 8;
// Sets of indices of all nodes at once.
constexpr double most_bytes = 1e8;
// Of the limit; none that is kept is left for it.
constexpr double penalty_beyond_limit = 4;

}  // namespace

order_found with_less_traffic(const hypergraph& network, const order_found& order, double largest,
                              const std::function<bool()>& go_on) {
    if (!order.slices.empty() || order.products.size() < 2) return order;
    const simplified_network raw = unsimplified(network);
    if (raw.core.operands() < 3 || tree_annealer::bytes_for(raw.core) > most_bytes) return order;
    const order_cost before = cost_of(network, order);
    product_price price;
    price.minimize = objective::weighed;
    price.traffic_weight = weight_of_traffic;
    price.limit = std::min(std::log2(largest), 1e9);
    price.penalty = penalty_beyond_limit;
    tree_annealer tree(raw.core, price);
    tree.load(raw.within(order.products));
    subtree_search(tree).run(operands_of_part, go_on);
    order_found made;
    made.products = with_scalars(network, raw.whole(tree.products()), raw.scalars);
    const order_cost after = cost_of(network, made);
    const bool fits =
        after.log2_largest_intermediate <= std::max(price.limit, before.log2_largest_intermediate);
    const bool gains = after.log2_multiplications <= before.log2_multiplications + most_more &&
                       log2_objective(after, price.minimize, weight_of_traffic) <
                           log2_objective(before, price.minimize, weight_of_traffic);
    return fits && gains ? made : order;
}

}  // namespace ricci::path
