// Partitions of a network's operands, multilevel, and trees that are made of them.
#include "src/path/search/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/path/search/bisection.hpp"

namespace ricci::path {
namespace {

/// Pairs of heavily joined operands, one number for both: what they share, an index of many
/// operands counting less, beside how many operands they stand for already.
std::vector<std::int32_t> paired_operands(const weighed_network& graph, std::int64_t most_count,
                                          random_stream& random) {
    // Indices of more operands tell nothing of two of them.
    constexpr std::size_t most_holders = 48;
    const core_network& network = graph.network;
    const auto n = place(network.operands());
    std::vector<std::int32_t> order(n), number(n, -1), touched;
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = n; k > 1; --k)
        std::swap(order[k - 1], order[random.below(static_cast<std::uint32_t>(k))]);
    std::vector<double> shared(n);
    std::int32_t count = 0;
    for (const std::int32_t t : order) {
        if (number[place(t)] >= 0) continue;
        touched.clear();
        for (const std::int32_t i : network.indices_of(t)) {
            const auto holders = network.holders_of(i);
            if (holders.size() > most_holders || holders.size() < 2) continue;
            const double weight =
                network.weight[place(i)] / static_cast<double>(holders.size() - 1);
            for (const std::int32_t other : holders) {
                if (other == t || number[place(other)] >= 0) continue;
                if (shared[place(other)] == 0) touched.push_back(other);
                shared[place(other)] += weight;
            }
        }
        std::int32_t best = -1;
        double most = 0;
        for (const std::int32_t other : touched) {
            const std::int64_t together =
                std::int64_t{graph.count[place(t)]} + graph.count[place(other)];
            const double rating = shared[place(other)] / graph.count[place(other)];
            if (together <= most_count && rating > most) best = other, most = rating;
            shared[place(other)] = 0;
        }
        number[place(t)] = count;
        if (best >= 0) number[place(best)] = count;
        ++count;
    }
    return number;
}

/// The operands of each number as one; indices that one of these has alone are gone.
weighed_network merged(const weighed_network& graph, const std::vector<std::int32_t>& number) {
    const core_network& network = graph.network;
    const auto n = place(1 + *std::max_element(number.begin(), number.end()));
    std::vector<std::vector<std::int32_t>> sets(n);
    weighed_network coarse;
    coarse.count.resize(n);
    for (std::size_t t = 0; t < number.size(); ++t)
        coarse.count[place(number[t])] += graph.count[t];
    for (std::int32_t i = 0; i < network.indices(); ++i) {
        const auto holders = network.holders_of(i);
        const auto first = holders.empty() ? -1 : number[place(holders[0])];
        if (std::all_of(holders.begin(), holders.end(),
                        [&](std::int32_t t) { return number[place(t)] == first; }))
            continue;
        for (const std::int32_t t : holders) {
            auto& set = sets[place(number[place(t)])];
            if (set.empty() || set.back() != i) set.push_back(i);
        }
    }
    coarse.network = make_core(sets, network.weight, network.open);
    return coarse;
}

/// Two sides by way of smaller and smaller networks, `target` operands on the first; none where
/// time has run out.
std::vector<char> bisect(const core_network& network, std::int64_t target,
                         const side_bounds& bounds, random_stream& random,
                         const keep_going& go_on) {
    constexpr std::int32_t small_enough = 60;
    constexpr double least_shrinking = 0.95;
    std::vector<weighed_network> levels(1);
    levels[0].network = network;
    levels[0].count.assign(place(network.operands()), 1);
    const std::int64_t most_count = std::max<std::int64_t>(2, network.operands() / 20);
    std::vector<std::vector<std::int32_t>> numbers;
    while (levels.back().network.operands() > small_enough) {
        if (!go_on()) return {};
        auto number = paired_operands(levels.back(), most_count, random);
        weighed_network coarse = merged(levels.back(), number);
        if (coarse.network.operands() > least_shrinking * levels.back().network.operands()) break;
        levels.push_back(std::move(coarse));
        numbers.push_back(std::move(number));
    }
    constexpr int attempts = 6;
    std::vector<char> best;
    double least = 0;
    for (int k = 0; k < attempts; ++k) {
        auto side = grown_side(levels.back(), target, random);
        const double cut = refine_cut(levels.back(), bounds, side, random);
        if (best.empty() || cut < least) best = std::move(side), least = cut;
    }
    for (std::size_t level = numbers.size(); level-- > 0;) {
        if (!go_on()) return {};
        std::vector<char> finer(numbers[level].size());
        for (std::size_t t = 0; t < finer.size(); ++t) finer[t] = best[place(numbers[level][t])];
        best = std::move(finer);
        refine_cut(levels[level], bounds, best, random);
    }
    return best;
}

/// These operands as a network of their own; what others have as well is open.
core_network part_of(const core_network& network, const std::vector<std::int32_t>& operands) {
    std::vector<std::int32_t> inside(network.weight.size());
    for (const std::int32_t t : operands)
        for (const std::int32_t i : network.indices_of(t)) ++inside[place(i)];
    std::vector<char> open = network.open;
    std::vector<std::vector<std::int32_t>> sets;
    for (const std::int32_t t : operands) {
        auto& set = sets.emplace_back();
        for (const std::int32_t i : network.indices_of(t)) {
            if (inside[place(i)] < static_cast<std::int32_t>(network.holders_of(i).size()))
                open[place(i)] = 1;
            set.push_back(i);
        }
    }
    return make_core(sets, network.weight, open);
}

class partitioner {
public:
    partitioner(const core_network& network, const partition_options& options,
                random_stream& random, const keep_going& go_on)
        : network_(network), random_(random), go_on_(go_on), part_(place(network.operands())) {
        const std::int32_t n = network.operands();
        most_ = std::ceil((1 + options.imbalance) * n / options.parts);
        most_ = std::clamp<double>(most_, (n + options.parts - 1) / options.parts, n);
    }

    std::vector<std::int32_t> run(std::int32_t parts) {
        std::vector<std::int32_t> all(part_.size());
        std::iota(all.begin(), all.end(), 0);
        if (network_.operands() <= parts) return all;
        if (!split(all, 0, parts)) return {};
        if (parts > 2)
            for (std::int32_t a = 0; a < parts; ++a)
                for (std::int32_t b = a + 1; b < parts; ++b) refine(a, b);
        return std::move(part_);
    }

private:
    side_bounds bounds_for(std::int64_t n, std::int32_t first, std::int32_t second) const {
        const auto most = static_cast<std::int64_t>(most_);
        return {std::max<std::int64_t>(first, n - second * most),
                std::min<std::int64_t>(n - second, first * most)};
    }

    bool split(const std::vector<std::int32_t>& operands, std::int32_t first_part,
               std::int32_t parts) {
        if (parts == 1) {
            for (const std::int32_t t : operands) part_[place(t)] = first_part;
            return true;
        }
        const std::int32_t first = parts / 2, second = parts - first;
        const auto n = static_cast<std::int64_t>(operands.size());
        const auto side = bisect(part_of(network_, operands), n * first / parts,
                                 bounds_for(n, first, second), random_, go_on_);
        if (side.empty()) return false;
        std::array<std::vector<std::int32_t>, 2> halves;
        for (std::size_t k = 0; k < operands.size(); ++k)
            halves[side[k] == 0 ? 0 : 1].push_back(operands[k]);
        return split(halves[0], first_part, first) && split(halves[1], first_part + first, second);
    }

    // Between two parts alone: what others have makes no difference.
    void refine(std::int32_t a, std::int32_t b) {
        std::vector<std::int32_t> operands;
        weighed_network both;
        std::vector<char> side;
        for (std::int32_t t = 0; t < network_.operands(); ++t) {
            if (part_[place(t)] != a && part_[place(t)] != b) continue;
            operands.push_back(t);
            side.push_back(part_[place(t)] == a ? 0 : 1);
        }
        both.network = part_of(network_, operands);
        both.count.assign(operands.size(), 1);
        refine_cut(both, bounds_for(static_cast<std::int64_t>(operands.size()), 1, 1), side,
                   random_);
        for (std::size_t k = 0; k < operands.size(); ++k)
            part_[place(operands[k])] = side[k] == 0 ? a : b;
    }

    const core_network& network_;
    random_stream& random_;
    const keep_going& go_on_;
    double most_ = 0;  // operands of a part
    std::vector<std::int32_t> part_;
};

/// A network that is a part of the whole one, with the entry that each of its operands is there.
struct named_part {
    core_network network;
    std::vector<std::int32_t> entries;
};

class partition_builder {
public:
    partition_builder(std::int32_t operands, const partition_options& options,
                      random_stream& random, const keep_going& go_on)
        : operands_(operands), options_(options), random_(random), go_on_(go_on) {}

    product_list run(const core_network& network) {
        named_part whole{network, std::vector<std::int32_t>(place(network.operands()))};
        std::iota(whole.entries.begin(), whole.entries.end(), 0);
        if (network.operands() > 0 && build(whole) < 0) return {};
        return std::move(products_);
    }

private:
    // The entry of a part's product; -1 where time has run out.
    std::int32_t build(const named_part& part) {
        if (!go_on_()) return -1;
        const std::int32_t n = part.network.operands();
        // Fewer operands than this are no hypergraph to cut.
        constexpr std::int32_t least_cut = 10;
        if (n <= std::max(least_cut, options_.parts)) return multiply(part);
        const auto number = partition(part.network, options_, random_, go_on_);
        if (number.empty()) return -1;
        named_part joined;
        std::vector<std::vector<std::int32_t>> sets;
        for (std::int32_t p = 0; p < options_.parts; ++p) {
            std::vector<std::int32_t> own;
            for (std::int32_t t = 0; t < n; ++t)
                if (number[place(t)] == p) own.push_back(t);
            if (own.empty()) continue;
            named_part below{part_of(part.network, own), {}};
            for (const std::int32_t t : own) below.entries.push_back(part.entries[place(t)]);
            joined.entries.push_back(build(below));
            if (joined.entries.back() < 0) return -1;
            // What the product of the part has, by the numbers of this network.
            auto& set = sets.emplace_back();
            for (std::int32_t i = 0; i < below.network.indices(); ++i)
                if (below.network.open[place(i)] != 0)
                    set.push_back(below.network.origin[place(i)]);
        }
        joined.network = make_core(sets, part.network.weight, part.network.open);
        return multiply(joined);
    }

    std::int32_t multiply(const named_part& part) {
        const auto n = place(part.network.operands());
        std::vector<std::int32_t> entries = part.entries;
        for (const auto& [a, b] : greedy_tree(part.network, {}, random_, [] { return true; })) {
            products_.emplace_back(entries[place(a)], entries[place(b)]);
            entries.push_back(operands_ + static_cast<std::int32_t>(products_.size()) - 1);
        }
        return n == 0 ? -1 : entries.back();
    }

    std::int32_t operands_;
    partition_options options_;
    random_stream& random_;
    const keep_going& go_on_;
    product_list products_;
};

}  // namespace

std::vector<std::int32_t> partition(const core_network& network, const partition_options& options,
                                    random_stream& random, const keep_going& go_on) {
    return partitioner(network, options, random, go_on).run(options.parts);
}

double cut_weight(const core_network& network, const std::vector<std::int32_t>& part) {
    double sum = 0;
    std::vector<std::int32_t> seen;
    for (std::int32_t i = 0; i < network.indices(); ++i) {
        seen.clear();
        for (const std::int32_t t : network.holders_of(i)) seen.push_back(part[place(t)]);
        std::sort(seen.begin(), seen.end());
        const auto parts = std::unique(seen.begin(), seen.end()) - seen.begin();
        sum +=
            static_cast<double>(std::max<std::ptrdiff_t>(parts, 1) - 1) * network.weight[place(i)];
    }
    return sum;
}

product_list partition_tree(const core_network& network, const partition_options& options,
                            random_stream& random, const keep_going& go_on) {
    return partition_builder(network.operands(), options, random, go_on).run(network);
}

}  // namespace ricci::path
