// First trees together with slices that keep their results within a limit.
#include "src/path/search/sliced_seeds.hpp"

#include <utility>

#include "src/path/search/slicing.hpp"

namespace ricci::path {
namespace {

sliced_seed completed(const core_network& network, const product_price& price,
                      const product_list& products, std::vector<char> sliced, random_stream& random,
                      const keep_going& go_on) {
    tree_annealer tree(network, price);
    tree.slice(sliced);
    tree.load(products);
    if (!slice_to_limit(tree, sliced, 0, random, go_on)) return {};
    let_needless_go(tree, sliced);
    return {products, sliced, tree.score() + log2_slices(network, sliced)};
}

}  // namespace

sliced_seed sliced_seed_of(const core_network& network, const product_price& price,
                           const product_list& products, random_stream& random,
                           const keep_going& go_on) {
    if (!go_on()) return {};
    return completed(network, price, products, std::vector<char>(network.weight.size()), random,
                     go_on);
}

sliced_seed sliced_seed_by_elimination(const core_network& network, const product_price& price,
                                       double noise, random_stream& random,
                                       const keep_going& go_on) {
    if (!go_on()) return {};
    sliced_tree made = sliced_elimination_tree(network, {noise, false, price.limit}, random, go_on);
    if (made.products.empty() || !go_on()) return {};
    return completed(network, price, made.products, std::move(made.sliced), random, go_on);
}

}  // namespace ricci::path
