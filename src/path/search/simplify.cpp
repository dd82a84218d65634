// Products that never hurt, made before the search: whatever grows by no product is multiplied into
// its neighbours.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/score.hpp"

namespace ricci::path {

core_network make_core(const std::vector<std::vector<std::int32_t>>& operands,
                       const std::vector<double>& weight, const std::vector<char>& open) {
    core_network core;
    std::vector<std::int32_t> number(weight.size(), -1), count;
    for (const auto& operand : operands)
        for (const std::int32_t i : operand) number[place(i)] = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (number[i] < 0) continue;
        number[i] = core.indices();
        core.weight.push_back(weight[i]);
        core.open.push_back(open[i]);
        core.origin.push_back(static_cast<std::int32_t>(i));
    }
    count.resize(core.weight.size() + 1);
    for (const auto& operand : operands) {
        for (const std::int32_t i : operand) {
            core.members.push_back(number[place(i)]);
            ++count[place(number[place(i)]) + 1];
        }
        core.first.push_back(static_cast<std::int32_t>(core.members.size()));
    }
    for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
    core.holder_first = count;
    core.holders.resize(core.members.size());
    for (std::int32_t t = 0; t < core.operands(); ++t)
        for (const std::int32_t i : core.indices_of(t)) core.holders[place(count[place(i)]++)] = t;
    return core;
}

std::vector<double> index_weights(const hypergraph& network) {
    std::vector<double> weight(network.extents.size());
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = std::log2(network.extents[i]);
    double sparse = 0;
    for (const std::int32_t i : network.sparse) sparse += weight[place(i)];
    const double choices = std::log2(network.choices);
    if (sparse > choices)
        for (const std::int32_t i : network.sparse) weight[place(i)] *= choices / sparse;
    for (double& w : weight) w = std::round(w / weight_unit) * weight_unit;
    return weight;
}

product_list simplified_network::whole(const product_list& of_core) const {
    product_list products = before;
    products.reserve(place(operands));
    const std::int32_t core_operands = core.operands();
    const auto made_before = static_cast<std::int32_t>(before.size());
    const auto renumbered = [&](std::int32_t entry) {
        return entry < core_operands ? entries[place(entry)]
                                     : operands + made_before + entry - core_operands;
    };
    for (const auto& [left, right] : of_core)
        products.emplace_back(renumbered(left), renumbered(right));
    // Products that have become scalars: parts that share nothing with the rest.
    std::int32_t result = core_operands == 1 ? entries[0]
                          : core_operands > 1
                              ? operands + static_cast<std::int32_t>(products.size()) - 1
                              : -1;
    for (const std::int32_t s : scalars) {
        if (s < operands) continue;
        if (result >= 0) {
            products.emplace_back(result, s);
            result = operands + static_cast<std::int32_t>(products.size()) - 1;
        } else {
            result = s;
        }
    }
    return products;
}

namespace {

/// The operand with indices or product of those that has the fewest elements.
std::int32_t smallest_entry(const hypergraph& network, const product_list& products,
                            const std::vector<std::int32_t>& scalars) {
    const simplified_network own = unsimplified(network);
    const product_list within = own.within(products);
    std::vector<char> is_scalar(place(network.operands()));
    for (const std::int32_t s : scalars) is_scalar[place(s)] = 1;
    const std::vector<double> sizes = entry_sizes(own.core, within);
    std::int32_t best = -1;
    double least = 0;
    const auto look = [&](std::int32_t entry, double size) {
        if (best < 0 || size < least) best = entry, least = size;
    };
    for (std::int32_t t = 0; t < own.core.operands(); ++t)
        look(own.entries[place(t)], sizes[place(t)]);
    // Where no scalar takes part, products within are the products themselves.
    if (within.size() == products.size())
        for (std::size_t k = 0; k < products.size(); ++k)
            look(network.operands() + static_cast<std::int32_t>(k),
                 sizes[place(own.core.operands()) + k]);
    return best;
}

}  // namespace

product_list simplified_network::within(const product_list& of_whole) const {
    std::vector<std::int32_t> number(place(operands), -1);
    for (std::size_t k = 0; k < entries.size(); ++k)
        number[place(entries[k])] = static_cast<std::int32_t>(k);
    product_list products;
    for (const auto& [a, b] : of_whole) {
        const std::int32_t left = number[place(a)], right = number[place(b)];
        if (left < 0 || right < 0) {
            number.push_back(std::max(left, right));
            continue;
        }
        products.emplace_back(left, right);
        number.push_back(core.operands() + static_cast<std::int32_t>(products.size()) - 1);
    }
    return products;
}

product_list with_scalars(const hypergraph& network, const product_list& products,
                          const std::vector<std::int32_t>& scalars) {
    if (scalars.empty()) return products;
    const std::int32_t n = network.operands();
    // All scalars but one have a product of theirs; then the smallest of all else takes it up.
    product_list result;
    std::int32_t scalar = scalars[0];
    for (std::size_t k = 1; k < scalars.size(); ++k) {
        result.emplace_back(scalar, scalars[k]);
        scalar = n + static_cast<std::int32_t>(result.size()) - 1;
    }
    if (static_cast<std::int32_t>(scalars.size()) == n) return result;
    const std::int32_t smallest = smallest_entry(network, products, scalars);
    std::vector<std::int32_t> number(place(n) + products.size());
    std::iota(number.begin(), number.begin() + n, 0);
    const auto take_up = [&](std::int32_t entry) {
        if (entry != smallest) return;
        result.emplace_back(number[place(entry)], scalar);
        number[place(entry)] = n + static_cast<std::int32_t>(result.size()) - 1;
    };
    for (std::int32_t t = 0; t < n; ++t) take_up(t);
    for (std::size_t k = 0; k < products.size(); ++k) {
        result.emplace_back(number[place(products[k].first)], number[place(products[k].second)]);
        number[place(n) + k] = n + static_cast<std::int32_t>(result.size()) - 1;
        take_up(n + static_cast<std::int32_t>(k));
    }
    return result;
}

namespace {

/// The operands while they are multiplied: sorted index lists, and who has each index.
class shape_simplifier {
public:
    explicit shape_simplifier(const hypergraph& network)
        : weight_(index_weights(network)),
          open_(weight_.size()),
          count_(weight_.size()),
          holders_(weight_.size()) {
        result_.operands = network.operands();
        for (const std::int32_t i : network.open) open_[place(i)] = 1;
        for (const std::int32_t i : network.members) ++count_[place(i)];
        sets_.reserve(2 * place(network.operands()));
        for (std::int32_t t = 0; t < network.operands(); ++t) {
            std::vector<std::int32_t> own;
            for (std::int32_t k = network.first[place(t)]; k < network.first[place(t) + 1]; ++k) {
                const std::int32_t i = network.members[place(k)];
                const bool lone = count_[place(i)] == 1 && open_[place(i)] == 0;
                if (!lone && network.extents[place(i)] > 1) own.push_back(i);
            }
            std::sort(own.begin(), own.end());
            for (const std::int32_t i : own) holders_[place(i)].push_back(t);
            sets_.push_back(std::move(own));
        }
        alive_.assign(sets_.size(), 1);
        seen_by_.assign(2 * sets_.size() + 1, -1);
    }

    void multiply_all() {
        for (std::int32_t t = 0; t < result_.operands; ++t) queue(t);
        while (!queue_.empty()) {
            const std::int32_t t = std::get<2>(queue_.top());
            queue_.pop();
            if (alive_[place(t)] == 0) continue;
            queued_[place(t)] = 0;
            const std::int32_t other = best_neighbour(t);
            if (other >= 0) multiply(t, other);
        }
    }

    simplified_network take() {
        std::vector<std::vector<std::int32_t>> left;
        for (std::size_t t = 0; t < sets_.size(); ++t) {
            if (alive_[t] == 0) continue;
            if (sets_[t].empty()) {
                result_.scalars.push_back(static_cast<std::int32_t>(t));
                continue;
            }
            left.push_back(std::move(sets_[t]));
            result_.entries.push_back(static_cast<std::int32_t>(t));
        }
        result_.core = make_core(left, weight_, open_);
        return std::move(result_);
    }

private:
    // Indices of more operands than this propose no neighbours, but for an operand's rarest one:
    // whoever has all of its indices has that one, too.
    static constexpr std::size_t most_holders = 48, most_rarest_holders = 1024;

    struct shape {
        std::size_t rank = 0;
        double elements = 0;
    };

    shape shape_of(const std::vector<std::int32_t>& set) const {
        shape s{set.size(), 0};
        for (const std::int32_t i : set) s.elements += weight_[place(i)];
        return s;
    }

    // What is left of both: an index that both have and nobody else is summed.
    shape product_shape(const std::vector<std::int32_t>& a,
                        const std::vector<std::int32_t>& b) const {
        shape s;
        std::size_t x = 0, y = 0;
        const auto add = [&](std::int32_t i) {
            ++s.rank;
            s.elements += weight_[place(i)];
        };
        while (x < a.size() && y < b.size()) {
            if (a[x] < b[y]) add(a[x++]);
            else if (b[y] < a[x]) add(b[y++]);
            else {
                if (count_[place(a[x])] > 2 || open_[place(a[x])] != 0) add(a[x]);
                ++x, ++y;
            }
        }
        while (x < a.size()) add(a[x++]);
        while (y < b.size()) add(b[y++]);
        return s;
    }

    void queue(std::int32_t t) {
        if (queued_.size() <= place(t)) queued_.resize(place(t) + 1);
        if (queued_[place(t)] != 0 || sets_[place(t)].empty()) return;
        queued_[place(t)] = 1;
        const shape s = shape_of(sets_[place(t)]);
        queue_.emplace(s.elements, s.rank, t);
    }

    std::vector<std::int32_t>& living_holders(std::int32_t index) {
        auto& list = holders_[place(index)];
        if (list.size() != place(count_[place(index)]))
            std::erase_if(list, [&](std::int32_t t) { return alive_[place(t)] == 0; });
        return list;
    }

    std::int32_t best_neighbour(std::int32_t t) {
        const auto& own = sets_[place(t)];
        const shape mine = shape_of(own);
        std::int32_t rarest = -1, best = -1;
        for (const std::int32_t i : own)
            if (rarest < 0 || count_[place(i)] < count_[place(rarest)]) rarest = i;
        double least = 0;
        for (const std::int32_t i : own) {
            const auto& list = living_holders(i);
            if (list.size() > (i == rarest ? most_rarest_holders : most_holders)) continue;
            for (const std::int32_t other : list) {
                if (other == t || seen_by_[place(other)] == t) continue;
                seen_by_[place(other)] = t;
                const shape theirs = shape_of(sets_[place(other)]);
                const shape product = product_shape(own, sets_[place(other)]);
                if (product.rank > std::max(mine.rank, theirs.rank) ||
                    product.elements > std::max(mine.elements, theirs.elements) + 1e-9)
                    continue;
                if (best < 0 || product.elements < least ||
                    (product.elements == least && other < best)) {
                    best = other;
                    least = product.elements;
                }
            }
        }
        for (const std::int32_t i : own)
            if (holders_[place(i)].size() <= most_rarest_holders)
                for (const std::int32_t other : holders_[place(i)]) seen_by_[place(other)] = -1;
        return best;
    }

    void multiply(std::int32_t a, std::int32_t b) {
        const auto made = static_cast<std::int32_t>(sets_.size());
        std::vector<std::int32_t> both;
        std::set_union(sets_[place(a)].begin(), sets_[place(a)].end(), sets_[place(b)].begin(),
                       sets_[place(b)].end(), std::back_inserter(both));
        alive_[place(a)] = alive_[place(b)] = 0;
        for (const std::int32_t i : sets_[place(a)]) --count_[place(i)];
        for (const std::int32_t i : sets_[place(b)]) --count_[place(i)];
        std::erase_if(
            both, [&](std::int32_t i) { return count_[place(i)] == 0 && open_[place(i)] == 0; });
        sets_[place(a)] = {}, sets_[place(b)] = {};
        sets_.push_back(both);
        alive_.push_back(1);
        result_.before.emplace_back(a, b);
        for (const std::int32_t i : both) {
            ++count_[place(i)];
            holders_[place(i)].push_back(made);
        }
        queue(made);
        for (const std::int32_t i : both) {
            const auto& list = living_holders(i);
            if (list.size() > most_holders) continue;
            for (const std::int32_t other : list) queue(other);
        }
    }

    simplified_network result_;
    std::vector<double> weight_;
    std::vector<char> open_;
    std::vector<std::int32_t> count_;  // living holders
    std::vector<std::vector<std::int32_t>> holders_, sets_;
    std::vector<char> alive_, queued_;
    std::vector<std::int32_t> seen_by_;
    using entry = std::tuple<double, std::size_t, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

}  // namespace

simplified_network unsimplified(const hypergraph& network) {
    return shape_simplifier(network).take();
}

simplified_network simplify_shapes(const hypergraph& network) {
    shape_simplifier simplifier(network);
    simplifier.multiply_all();
    return simplifier.take();
}

}  // namespace ricci::path
