// Which first trees are made, and which of them are worth going on from.
#include "src/path/search/seed_portfolio.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "src/path/search/partition.hpp"

namespace ricci::path {
namespace {

// Fronts along lines: as operands and indices are numbered, and as the network is long.
void add_line_makers(const core_network& core, std::vector<seed_maker>& makers) {
    // A front of very many indices is no start, and takes time with their square.
    constexpr std::int32_t most_in_line = 60000;
    if (core.operands() > most_in_line || core.operands() < 3) return;
    const auto line = [&](auto order_of) {
        makers.push_back({&core, seed_kind::line, [&core, order_of](const keep_going&) {
                              return front_tree(core, order_of());
                          }});
    };
    const auto given = [&core] {
        std::vector<std::int32_t> order(place(core.operands()));
        std::iota(order.begin(), order.end(), 0);
        return order;
    };
    const auto numbered = [&core] { return order_by_indices(core); };
    // How much a place counts, in log2 of elements.
    constexpr double weak = 0.003, strong = 0.03;
    const auto front = [&core, line](auto order_of, int steps, double pull) {
        line([&core, order_of, steps, pull] {
            const auto order = order_of();
            return order_by_front(core, steps == 0 ? order : smoothed_order(core, order, steps),
                                  pull);
        });
    };
    const auto averages = [&core] { return order_by_averages(core); };
    front(numbered, 0, weak);
    front(averages, 0, weak);
    line(given);
    front(given, 8, weak);
    front(numbered, 8, weak);
    line([&core] { return order_by_front(core, order_by_layers(core, 0).back()); });
    front(averages, 0, strong);
    line(numbered);
    front(given, 2, weak);
    front(numbered, 2, strong);
}

}  // namespace

std::vector<seed_maker> make_seed_makers(const std::vector<const core_network*>& cores,
                                         std::uint64_t seed) {
    const core_network& core = *cores.front();
    std::vector<seed_maker> makers;
    const auto greedy = [&](std::uint64_t stream, greedy_options options) {
        makers.push_back(
            {&core, seed_kind::general, [&core, seed, stream, options](const keep_going& go_on) {
                 random_stream random(seed * 64 + stream);
                 return greedy_tree(core, options, random, go_on);
             }});
    };
    const auto elimination = [&](std::uint64_t stream, elimination_options options) {
        makers.push_back({&core, seed_kind::elimination,
                          [&core, seed, stream, options](const keep_going& go_on) {
                              random_stream random(seed * 64 + stream);
                              return elimination_tree(core, options, random, go_on);
                          }});
    };
    greedy(1, {});
    elimination(2, {});
    // Quick for few indices, where it is best; tried for more of them when all else has been.
    constexpr std::int32_t most_for_quick_fill = 1500, most_for_fill = 3000;
    if (core.indices() <= most_for_quick_fill) elimination(3, {0, true});
    add_line_makers(core, makers);
    const auto partition = [&](std::uint64_t stream, partition_options options) {
        // Somewhat longer than greedy trees take.
        constexpr std::int32_t most_to_cut = 60000;
        if (core.operands() > most_to_cut) return;
        makers.push_back(
            {&core, seed_kind::general, [&core, seed, stream, options](const keep_going& go_on) {
                 random_stream random(seed * 64 + stream);
                 return partition_tree(core, options, random, go_on);
             }});
    };
    partition(8, {2, 0.3});
    if (core.indices() > most_for_quick_fill && core.indices() <= most_for_fill)
        elimination(3, {0, true});
    elimination(4, {0.3});
    greedy(5, {1, 0.1});
    elimination(6, {0.3});
    greedy(7, {1, 0.1});
    for (std::size_t k = 1; k < cores.size(); ++k) add_line_makers(*cores[k], makers);
    partition(9, {6, 0.5});
    return makers;
}

std::vector<scored_tree> best_first(std::vector<scored_tree> trees) {
    std::erase_if(trees, [](const scored_tree& tree) { return tree.products.empty(); });
    struct ranked {
        std::size_t rank;  // among its kind
        std::size_t tree;
    };
    std::vector<ranked> kept;
    std::array<std::size_t, seed_kinds> seen{};
    double last = -std::numeric_limits<double>::infinity();
    for (const std::size_t k : by_score(trees)) {
        if (!(trees[k].score > last + 1e-6)) continue;
        last = trees[k].score;
        kept.push_back({seen[static_cast<std::size_t>(trees[k].kind)]++, k});
    }
    std::vector<scored_tree> sorted;
    for (std::size_t rank = 0; sorted.size() < kept.size(); ++rank)
        for (const ranked& r : kept)
            if (r.rank == rank) sorted.push_back(std::move(trees[r.tree]));
    return sorted;
}

}  // namespace ricci::path
