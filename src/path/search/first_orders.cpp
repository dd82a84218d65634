// The first orders of a search: seeds, those with slices, and what a shorter search comes to.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/path/search/order_search.hpp"
#include "src/path/search/slicing.hpp"

namespace ricci::path {

void order_search::find_seeds() {
    std::vector<const core_network*> cores{&simple_.core};
    if (!simple_.before.empty() && can_anneal(raw_.core)) cores.push_back(&raw_.core);
    auto makers = make_seed_makers(cores, options_.seed);
    if (options_.brief) makers.resize(std::min<std::size_t>(makers.size(), 2));  // the quick ones
    std::vector<scored_tree> made(makers.size());
    const double deadline = 0.15 * clock_.end();
    on_all_lanes(static_cast<std::int64_t>(makers.size()),
                 [&](std::int64_t k, std::int64_t, std::int64_t) {
                     const seed_maker& maker = makers[static_cast<std::size_t>(k)];
                     scored_tree& tree = made[static_cast<std::size_t>(k)];
                     const bool first = k == 0;  // some order has to stand
                     if (!first && !clock_.until(deadline)) return;
                     tree.products = maker.make([&] { return first || clock_.until(deadline); });
                     tree.raw = maker.core == &raw_.core;
                     tree.kind = maker.kind;
                     if (tree.products.empty()) return;
                     tree.score = tree_score(*maker.core, tree.products, price_);
                     if (!tree.raw) tree.score = log2_add(before_, tree.score);
                 });
    seeds_ = best_first(std::move(made));
    if (options_.brief) moves_of_trial_ = std::min(moves_of_trial_, brief_moves(seeds_[0].score));
}

// A move takes about as long as a thousand multiplications at a nominal rate.
std::int64_t order_search::brief_moves(double log2_multiplications) const {
    constexpr double fewest = 100'000, most = 1e9, multiplications_of_move = 1000;
    const double worth = std::exp2(std::min(log2_multiplications, 100.0)) / multiplications_of_move;
    return static_cast<std::int64_t>(std::min(most, fewest + worth));
}

// With a limit the first trees that are worth most are those that are cheap with slices.
void order_search::consider_seeds() {
    best_ = network_of(seeds_[0].raw).whole(seeds_[0].products);
    const double first = found_.consider(best_, {});
    if (!found_.is_sliced()) return;
    // A few slices more than none leave the cheapest tree without them about the cheapest.
    constexpr double few = 30;
    const core_network& core = network_of(seeds_[0].raw).core;
    const auto sizes = entry_sizes(core, seeds_[0].products);
    const double largest = *std::max_element(sizes.begin() + core.operands(), sizes.end());
    takes_many_slices_ = largest > std::log2(options_.largest) + few;
    cut_seeds(first);
    if (!can_slice()) return;
    find_sliced_seeds();
    if (sliced_seeds_.empty()) return;
    const sliced_seed& best = sliced_seeds_[0];
    const simplified_network& network = network_of(best.raw);
    const double before = found_.objective();
    found_.consider(network.whole(best.products), of_whole(network.core, best.sliced));
    // Moves of slices walk through the products of an index, which are the more, the larger the
    // network is.
    const double settling_seconds = 1e-7 * core.operands() * core.operands();
    slices_first_ = takes_many_slices_ && found_.objective() < before &&
                    (!clock_.timed() || clock_.seconds_left() > settling_seconds);
}

// What a search comes to with many slices depends on what it starts from more than on how long it
// goes on: one of less time is a part of it, and what that finds is kept.
void order_search::search_shorter() {
    constexpr double part = 0.2, shortest = 0.15;
    search_options shorter = options_;
    shorter.seconds = part * options_.seconds;
    if (!clock_.timed() || !takes_many_slices_ || shorter.seconds < shortest || !has_time()) return;
    if (options_.progress)
        shorter.progress = [this](double, double) { return clock_.until(clock_.end()); };
    found_.consider(order_search(network_, shorter).run());
}

// Where many slices are needed, the tree that is cheapest with them comes second.
void order_search::cut_seeds(double first) {
    const double until = 0.2 * clock_.end();
    std::size_t best = 0;
    double least = first;
    for (std::size_t k = 1; k < seeds_.size() && clock_.until(until); ++k) {
        const double reached =
            found_.consider(network_of(seeds_[k].raw).whole(seeds_[k].products), {});
        if (reached < least) least = reached, best = k;
    }
    if (takes_many_slices_ && best > 1) std::swap(seeds_[1], seeds_[best]);
}

void order_search::find_sliced_seeds() {
    product_price price = price_;
    price.limit = std::log2(options_.largest);
    const auto makers = make_sliced_seed_makers(simple_.core, raw_.core, seeds_, price,
                                                options_.seed, options_.brief);
    std::vector<sliced_seed> made(makers.size());
    // The first one is worth more than what little time is left without it.
    const double first_deadline = 0.6 * clock_.end(), deadline = 0.3 * clock_.end();
    on_all_lanes(static_cast<std::int64_t>(makers.size()), [&](std::int64_t k, std::int64_t,
                                                               std::int64_t) {
        sliced_seed& seed = made[static_cast<std::size_t>(k)];
        seed =
            makers[static_cast<std::size_t>(k)](time_to_slice(k == 0 ? first_deadline : deadline));
        if (seed.raw) return;
        const double runs = log2_slices(simple_.core, seed.sliced);
        seed.score = log2_add(before_ + runs, seed.score);
    });
    sliced_seeds_ = cheapest_first(std::move(made));
}

}  // namespace ricci::path
