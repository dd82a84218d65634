// First trees together with slices that keep their results within a limit.
#include "src/path/search/sliced_seeds.hpp"

#include <algorithm>
#include <cstddef>
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

std::vector<sliced_seed_maker> make_sliced_seed_makers(const core_network& simple,
                                                       const core_network& raw,
                                                       const std::vector<scored_tree>& trees,
                                                       const product_price& price,
                                                       std::uint64_t seed, bool brief) {
    constexpr std::size_t most = 7, of_brief = 1;
    std::vector<sliced_seed_maker> makers;
    const auto stream = [&] { return seed * 64 + 16 + makers.size(); };
    const auto eliminate = [&](double noise) {
        makers.emplace_back([&simple, price, noise, own = stream()](const keep_going& go_on) {
            random_stream random(own);
            return sliced_seed_by_elimination(simple, price, noise, random, go_on);
        });
    };
    eliminate(0);
    for (std::size_t k = 0; k < std::min(trees.size(), brief ? of_brief : most); ++k)
        makers.emplace_back([&core = trees[k].raw ? raw : simple, &tree = trees[k], price,
                             own = stream()](const keep_going& go_on) {
            random_stream random(own);
            sliced_seed made = sliced_seed_of(core, price, tree.products, random, go_on);
            made.raw = tree.raw;
            return made;
        });
    eliminate(0.3);
    return makers;
}

std::vector<sliced_seed> cheapest_first(std::vector<sliced_seed> seeds) {
    std::erase_if(seeds, [](const sliced_seed& seed) { return seed.products.empty(); });
    std::vector<sliced_seed> sorted;
    for (const std::size_t k : by_score(seeds)) sorted.push_back(std::move(seeds[k]));
    return sorted;
}

}  // namespace ricci::path
